package dev.millrace.subscriber.catalog;

import dev.millrace.model.QualifiedName;

/**
 * A table of a subscription (pg_subscription_rel).
 *
 * @param lsn srsublsn, 0 for none
 */
public record SubscribedRelation(
    int subscriptionOid, int relationOid, QualifiedName table, RelationState state, long lsn) {}
