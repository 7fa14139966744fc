package dev.millrace.publisher.wal;

/**
 * The layout of a log record. All integers are big-endian.
 *
 * <pre>
 * offset size
 *      0    4  length of the whole record, header included; 0 = nothing was written here
 *      4    4  CRC-32C of bytes 16 .. length (the LSN is checked by comparison with the place it is read from)
 *      8    8  LSN: the position of this record's first byte
 *     16    4  xid, 0 for records outside transactions
 *     20    4  top xid, equal to xid for a top-level transaction
 *     24    4  OID of the database
 *     28    2  origin id, 0 = local
 *     30    1  type, see {@link WalRecordType}
 *     31    1  flags of the type
 *     32    .  body
 * </pre>
 *
 * Bodies:
 *
 * <pre>
 * INSERT    relation OID 4, relation version 4, 'N', tuple
 * UPDATE    relation OID 4, relation version 4, ['K' | 'O', tuple], ['L', tuple], 'N', tuple
 * DELETE    relation OID 4, relation version 4, ['K' | 'O', tuple], ['L', tuple]
 *             K  old key columns (replica identity), the others n;  O  the whole old row
 *             L  locator: what finds the row at redo where the parts above do not; never leaves the publisher. Its columns
 *                are the primary key's in index order, or the single value of "$rid"
 *           INSERT into a table without primary key carries 'L' (one column, "$rid") too, before 'N'
 * TRUNCATE  flags byte of the header (1 cascade, 2 restart identity); count 4, then per table OID 4, version 4
 * MESSAGE   flags byte of the header (1 transactional); prefix with a length of 2 before it, then the content
 * CATALOG   kind 1, UTF-8 JSON of the whole new definition
 * SEQUENCE  bound 8, then UTF-8 schema and name, each with a length of 2 before it; with an xid, counts if that commits
 * DDL       the statement as the user wrote it, UTF-8
 * COMMIT    commit time 8 (microseconds since 2000-01-01 UTC), origin LSN 8, count 4, committed subxids 4 each
 * ABORT     time 8, count 4, subxids 4 each that end with it, the inner ones first
 * PREPARE   flags byte of the header (1 the transaction changed something); the fields of {@link PrepareRecord}
 * COMMIT_PREPARED, ROLLBACK_PREPARED
 *           flags byte as of its PREPARE; the fields of {@link FinishPreparedRecord}, which begin as those of COMMIT
 * ASSIGNMENT empty: the header says it all
 * RUNNING_TRANSACTIONS next xid 4, next OID 4, count 4, then per transaction xid 4, first LSN 8; then, since prepared
 *           transactions have files of their own ({@link PreparedFiles}), count 4 and their xids 4 each
 * FLUSH_MARK flushed LSN 8
 *
 * With flag 128 ({@link #WITH_SOURCE_LSN}) a COMMIT, PREPARE, COMMIT_PREPARED, ROLLBACK_PREPARED, MESSAGE or
 * RUNNING_TRANSACTIONS record ends with a position 8: up to there the log of the server that the rows were taken from is
 * in this log.
 *
 * tuple     number of columns 2, then per column of the relation version a kind byte: n null, u unchanged large value,
 *           t followed by length 4 and PostgreSQL's text form in UTF-8 - the tuple of the pgoutput protocol
 * </pre>
 */
public final class WalFormat {
  public static final int LENGTH = 0;
  public static final int CRC = 4;
  public static final int LSN = 8;
  public static final int XID = 16;
  public static final int TOP_XID = 20;
  public static final int DATABASE = 24;
  public static final int ORIGIN = 28;
  public static final int TYPE = 30;
  public static final int FLAGS = 31;
  public static final int HEADER_SIZE = 32;

  /** Flag of records that say how far a source was taken over: its position ends the record. */
  public static final int WITH_SOURCE_LSN = 0x80;

  /** No record is longer, header included: a greater length is damage. */
  public static final int MAX_RECORD_SIZE = 256 << 20;

  /** Length of a FLUSH_MARK record. */
  static final int FLUSH_MARK_SIZE = HEADER_SIZE + 8;

  /** The version of this layout, kept in the control file. */
  public static final int VERSION = 1;

  /** The first position of a new log, 0/1000000. */
  public static final long FIRST_LSN = 0x1000000L;

  private WalFormat() {}
}
