package dev.millrace.subscriber.launcher;

import java.time.Instant;

/**
 * A worker as pg_stat_subscription shows it.
 *
 * @param workerType {@code apply}, {@code table synchronization}, {@code parallel apply}
 * @param relationOid the table of a sync worker, 0 otherwise
 * @param lastError the message of the last error of this worker's subscription or table, null for
 *     none
 */
public record WorkerView(
    int subscriptionOid,
    String subscriptionName,
    String workerType,
    long pid,
    long leaderPid,
    int relationOid,
    long receivedLsn,
    Instant lastMessageSendTime,
    Instant lastMessageReceiptTime,
    long latestEndLsn,
    Instant latestEndTime,
    long appliedLsn,
    long flushedLsn,
    String lastError) {}
