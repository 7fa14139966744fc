package dev.millrace.subscriber.conflict;

import dev.millrace.model.QualifiedName;
import dev.millrace.subscriber.catalog.SubscriptionStatistics.Conflict;
import java.time.Instant;

/**
 * One conflict as {@code GET /subscriptions/{name}/conflicts} lists it.
 *
 * @param key the replica identity searched for, such as {@code (id)=(1)}; null where there is none
 * @param remoteRow the row the publisher sent, null for a DELETE
 * @param localRow the row in the way, null where there is none
 * @param xid the remote transaction
 * @param finishLsn its commit LSN
 * @param resolution what was done: {@code skipped} or {@code error}
 */
public record ConflictRecord(
    Instant time,
    int subscriptionOid,
    Conflict type,
    QualifiedName table,
    String key,
    String remoteRow,
    String localRow,
    String originName,
    int xid,
    long finishLsn,
    String resolution) {}
