package dev.millrace.publisher.decoding;

import dev.millrace.model.PgException;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.catalog.CatalogHistory;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.wal.WalFormat;
import dev.millrace.publisher.wal.WalRecordType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the parts of a change record's body, see WalFormat. One instance is moved from record to
 * record. The definitions that records name are kept, so that a row costs no look-up while the
 * table stays the same.
 */
final class DecodedRecord implements DecodedChange {

  private static final int RELATION_VERSION = 4;
  private static final int FIRST_PART = 8;

  private final CatalogHistory history;
  private final ReplayCatalog catalog;
  private final Map<Long, RelationDefinition> relations = new HashMap<>();

  private OutputPlugin.ChangeKind kind;
  private int xid;
  private long lsn;
  private long endLsn;
  private int flags;
  private boolean withSourceLsn;
  private RowVerdict verdict;
  private byte[] buffer;
  private RelationDefinition relation;
  private RelationDefinition lastNamed;
  private char oldTupleKind;
  private int oldTupleOffset;
  private int oldTupleLength;
  private int newTupleOffset;
  private int newTupleLength;
  private List<RelationDefinition> truncated = List.of();
  private String messagePrefix;
  private int contentOffset;
  private int contentLength;

  DecodedRecord(CatalogHistory history) {
    this.history = history;
    this.catalog = new ReplayCatalog(history);
  }

  /**
   * A transaction's changes follow.
   *
   * @param ownChanges its own of the catalogue, which the changes behind them see
   */
  void beginTransaction(List<CatalogOverlays.Change> ownChanges) {
    catalog.beginTransaction(ownChanges);
  }

  static OutputPlugin.ChangeKind kindOf(WalRecordType type) {
    switch (type) {
      case INSERT:
        return OutputPlugin.ChangeKind.INSERT;
      case UPDATE:
        return OutputPlugin.ChangeKind.UPDATE;
      case DELETE:
        return OutputPlugin.ChangeKind.DELETE;
      case TRUNCATE:
        return OutputPlugin.ChangeKind.TRUNCATE;
      default:
        return null;
    }
  }

  /**
   * Stands on a change record.
   *
   * @param recordFlags its flags with the verdict on the row, as kept
   */
  DecodedRecord wrap(
      int recordXid,
      long recordLsn,
      WalRecordType type,
      int recordFlags,
      byte[] bytes,
      int offset,
      int length) {
    kind = kindOf(type);
    xid = recordXid;
    lsn = recordLsn;
    endLsn = recordLsn + WalFormat.HEADER_SIZE + length;
    flags = RowVerdict.recordFlags(recordFlags);
    withSourceLsn = type == WalRecordType.MESSAGE && (recordFlags & WalFormat.WITH_SOURCE_LSN) != 0;
    verdict = RowVerdict.ofFlags(recordFlags);
    buffer = bytes;
    relation = null;
    oldTupleKind = 0;
    oldTupleOffset = -1;
    oldTupleLength = 0;
    newTupleOffset = -1;
    newTupleLength = 0;
    try {
      wrapBody(type, offset, offset + length);
    } catch (ArrayIndexOutOfBoundsException e) {
      throw damaged();
    }
    return this;
  }

  private void wrapBody(WalRecordType type, int offset, int end) {
    switch (type) {
      case INSERT, UPDATE, DELETE:
        relation = relationAt(offset);
        wrapRow(offset + FIRST_PART, end);
        break;
      case TRUNCATE:
        wrapTruncate(offset, end);
        break;
      case MESSAGE:
        wrapMessage(offset, end);
        break;
      default:
        throw new IllegalArgumentException("not a change: " + type);
    }
  }

  private void wrapRow(int firstPart, int end) {
    int at = firstPart;
    while (at < end) {
      byte part = buffer[at];
      int tuple = at + 1;
      if (part == 'N') {
        newTupleOffset = tuple;
        newTupleLength = end - tuple;
        return;
      }
      int after = Tuples.end(buffer, tuple);
      if (part == 'K' || part == 'O') {
        oldTupleKind = (char) part;
        oldTupleOffset = tuple;
        oldTupleLength = after - tuple;
      } else if (part != 'L') {
        throw damaged();
      }
      at = after;
    }
    if (at != end) {
      throw damaged();
    }
  }

  private void wrapTruncate(int offset, int end) {
    int count = ChangeEntry.getInt(buffer, offset);
    List<RelationDefinition> found = new ArrayList<>();
    for (int i = 0; i < count && offset + 12 + 8L * i <= end; i++) {
      found.add(relationAt(offset + 4 + 8 * i));
    }
    truncated = found;
  }

  private void wrapMessage(int offset, int end) {
    int prefixLength = (buffer[offset] & 0xFF) << 8 | buffer[offset + 1] & 0xFF;
    messagePrefix = new String(buffer, offset + 2, prefixLength, StandardCharsets.UTF_8);
    contentOffset = offset + 2 + prefixLength;
    contentLength = end - contentOffset - (withSourceLsn ? Long.BYTES : 0);
  }

  /** The definition named at that offset. */
  private RelationDefinition relationAt(int offset) {
    int oid = ChangeEntry.getInt(buffer, offset);
    int version = ChangeEntry.getInt(buffer, offset + RELATION_VERSION);
    if (lastNamed == null || lastNamed.oid() != oid || lastNamed.version() != version) {
      lastNamed =
          relations.computeIfAbsent(
              (long) oid << 32 | version & 0xFFFFFFFFL, key -> history.relation(oid, version));
    }
    return lastNamed;
  }

  private PgException damaged() {
    return new PgException(
        SqlState.DATA_CORRUPTED,
        "could not decode the log record at " + dev.millrace.model.Lsn.format(lsn));
  }

  @Override
  public OutputPlugin.ChangeKind kind() {
    return kind;
  }

  @Override
  public int xid() {
    return xid;
  }

  @Override
  public long lsn() {
    return lsn;
  }

  @Override
  public long endLsn() {
    return endLsn;
  }

  @Override
  public RelationDefinition relation() {
    return relation;
  }

  @Override
  public CatalogSnapshot catalog() {
    return catalog.asOf(lsn);
  }

  @Override
  public RowVerdict verdict() {
    return verdict;
  }

  @Override
  public byte[] buffer() {
    return buffer;
  }

  @Override
  public int newTupleOffset() {
    return newTupleOffset;
  }

  @Override
  public int newTupleLength() {
    return newTupleLength;
  }

  @Override
  public char oldTupleKind() {
    return oldTupleKind;
  }

  @Override
  public int oldTupleOffset() {
    return oldTupleOffset;
  }

  @Override
  public int oldTupleLength() {
    return oldTupleLength;
  }

  @Override
  public List<RelationDefinition> truncated() {
    return truncated;
  }

  @Override
  public int truncateFlags() {
    return flags;
  }

  @Override
  public boolean messageTransactional() {
    return (flags & 1) != 0;
  }

  @Override
  public String messagePrefix() {
    return messagePrefix;
  }

  @Override
  public int contentOffset() {
    return contentOffset;
  }

  @Override
  public int contentLength() {
    return contentLength;
  }
}
