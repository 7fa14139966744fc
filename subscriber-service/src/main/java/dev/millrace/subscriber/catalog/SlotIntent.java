package dev.millrace.subscriber.catalog;

/**
 * A replication slot that is being made or dropped on a publisher right now.
 *
 * <p>The row is durable before the command leaves for the publisher and goes when its outcome is in
 * the catalogue. Whatever a crash leaves in between is adopted or dropped by {@code
 * SlotReconciler}.
 *
 * @param relationOid the table of a synchronization slot, 0 for the subscription's own slot
 */
public record SlotIntent(
    long id,
    int subscriptionOid,
    int relationOid,
    String slotName,
    String connection,
    Action action) {

  /** What was about to happen to the slot. */
  public enum Action {
    MAKE,
    DROP
  }

  /** Without the connection, which may hold a password. */
  @Override
  public String toString() {
    return action
        + " "
        + slotName
        + " of subscription "
        + Integer.toUnsignedString(subscriptionOid);
  }
}
