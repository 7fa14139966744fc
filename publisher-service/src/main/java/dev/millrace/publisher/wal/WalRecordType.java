package dev.millrace.publisher.wal;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;

/** The kinds of log records; the code is the type byte of the record header. */
public enum WalRecordType {
  /** One inserted row. */
  INSERT('I'),
  /** One updated row. */
  UPDATE('U'),
  /** One deleted row. */
  DELETE('D'),
  /** All tables of one TRUNCATE statement. */
  TRUNCATE('T'),
  /** A transactional or non-transactional logical message. */
  MESSAGE('M'),
  /** A new definition of a catalogue object, effective after its transaction's commit record. */
  CATALOG('G'),
  /** A sequence's new bound: values up to it may have been given out. */
  SEQUENCE('Q'),
  /** Intent of a DDL statement; its transaction's commit or abort tells whether H2 did it. */
  DDL('L'),
  /** Commit of a transaction with its committed subtransactions. */
  COMMIT('C'),
  /** Abort of a transaction, or of a subtransaction when the header's top xid is another one. */
  ABORT('A'),
  /** A transaction is prepared: it has all its changes and may still commit or not. */
  PREPARE('P'),
  /** Commit of a prepared transaction. */
  COMMIT_PREPARED('K'),
  /** Rollback of a prepared transaction. */
  ROLLBACK_PREPARED('R'),
  /** Names the top transaction of a subtransaction before the first change of it. */
  ASSIGNMENT('S'),
  /** The transactions running at a checkpoint with their first LSNs. */
  RUNNING_TRANSACTIONS('X'),
  /**
   * The flushed position at the time a batch was written: below it a bad record is damage, above it
   * a torn tail.
   */
  FLUSH_MARK('F');

  private static final WalRecordType[] BY_CODE = new WalRecordType[128];

  static {
    for (WalRecordType type : values()) {
      BY_CODE[type.code] = type;
    }
  }

  private final byte code;

  WalRecordType(char code) {
    this.code = (byte) code;
  }

  public byte code() {
    return code;
  }

  /** Whether a transaction ends with it, if the record is a top-level transaction's. */
  public boolean endsTransaction() {
    return this == COMMIT || this == ABORT || this == COMMIT_PREPARED || this == ROLLBACK_PREPARED;
  }

  /** The type of that code. */
  public static WalRecordType of(byte code) {
    WalRecordType type = code >= 0 ? BY_CODE[code] : null;
    if (type == null) {
      throw new PgException(SqlState.DATA_CORRUPTED, "unknown log record type " + code);
    }
    return type;
  }
}
