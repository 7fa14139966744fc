package dev.millrace.publisher.walsender;

import java.time.Instant;

/**
 * One walsender as pg_stat_replication shows it.
 *
 * @param address null when unknown
 * @param port -1 when unknown
 * @param slotName the slot it streams, null when it does not stream
 */
public record WalSenderView(
    long pid,
    String applicationName,
    String address,
    int port,
    Instant backendStart,
    String state,
    String slotName,
    PeerProgress progress) {}
