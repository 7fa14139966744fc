package dev.millrace.subscriber.apply;

/**
 * The replication origin a worker stores its progress under.
 *
 * @param name {@code pg_<subid>}, or {@code pg_<subid>_<relid>} of a table synchronization
 * @param number its roident
 * @param remoteLsn end_lsn of the last applied transaction when the worker started, 0 for none
 */
public record ApplyOrigin(String name, int number, long remoteLsn) {

  /** The origin of a table synchronization: {@code pg_<subid>_<relid>}. */
  public static String syncName(int subscriptionOid, int relationOid) {
    return "pg_"
        + Integer.toUnsignedString(subscriptionOid)
        + '_'
        + Integer.toUnsignedString(relationOid);
  }
}
