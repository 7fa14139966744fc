package dev.millrace.sql;

/** Where a session stands between calls; the codes of the protocol's ReadyForQuery. */
public enum TransactionStatus {
  /** No transaction. */
  IDLE('I'),
  /** Inside a transaction block. */
  IN_TRANSACTION('T'),
  /** Inside a failed block: only ROLLBACK, ROLLBACK TO and COMMIT (which rolls back) are taken. */
  FAILED('E');

  private final char code;

  TransactionStatus(char code) {
    this.code = code;
  }

  public char code() {
    return code;
  }
}
