package dev.millrace.subscriber.catalog;

/**
 * An origin as pg_replication_origin_status shows it.
 *
 * @param remoteLsn end of the last applied transaction, 0 for none
 */
public record ReplicationOrigin(int number, String name, long remoteLsn) {}
