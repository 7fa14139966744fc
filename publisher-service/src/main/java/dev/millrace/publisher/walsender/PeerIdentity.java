package dev.millrace.publisher.walsender;

/**
 * How a peer introduced itself.
 *
 * @param applicationName as in pg_stat_replication; empty when not given
 */
record PeerIdentity(String applicationName, String address, int port) {}
