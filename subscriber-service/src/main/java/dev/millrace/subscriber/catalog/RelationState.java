package dev.millrace.subscriber.catalog;

/** Where a subscribed table stands (pg_subscription_rel.srsubstate). */
public enum RelationState {
  /** Known, nothing done. */
  INIT('i'),
  /** The copy has begun; after a crash it begins anew. */
  DATASYNC('d'),
  /** Rows are copied and committed with the origin of the table; catch-up goes on from there. */
  FINISHED_COPY('f'),
  /** The sync worker waits for the apply worker's position; in memory only. */
  SYNC_WAIT('w'),
  /** The sync worker catches up to the position the apply worker gave; in memory only. */
  CATCHUP('c'),
  /** The sync worker has reached srsublsn; the apply worker takes over from there. */
  SYNC_DONE('s'),
  /** Ready: the apply worker owns the table. */
  READY('r');

  private final char code;

  RelationState(char code) {
    this.code = code;
  }

  public char code() {
    return code;
  }

  public static RelationState of(char code) {
    for (RelationState state : values()) {
      if (state.code == code) {
        return state;
      }
    }
    throw new IllegalArgumentException("unknown relation state " + code);
  }
}
