package dev.millrace.model;

/** What identifies a row in UPDATE and DELETE (pg_class.relreplident). */
public enum ReplicaIdentity {
  /** The primary key; without one the table acts as {@link #NOTHING}. */
  DEFAULT('d'),
  /** The columns of one unique index over NOT NULL columns. */
  INDEX('i'),
  /** All columns. */
  FULL('f'),
  /** None: UPDATE and DELETE cannot be published. */
  NOTHING('n');

  private final char code;

  ReplicaIdentity(char code) {
    this.code = code;
  }

  public char code() {
    return code;
  }

  public static ReplicaIdentity of(char code) {
    for (ReplicaIdentity identity : values()) {
      if (identity.code == code) {
        return identity;
      }
    }
    throw new PgException(SqlState.PROTOCOL_VIOLATION, "invalid replica identity \"" + code + "\"");
  }
}
