package dev.millrace.publisher.decoding;

import dev.millrace.model.RelationDefinition;
import dev.millrace.publisher.catalog.CatalogSnapshot;

/**
 * A change as the plugin reads it: a flyweight over the log record's body, valid during the
 * callback only.
 *
 * <p>Tuples are byte ranges in {@link #buffer} in the layout of WalFormat, which is pgoutput's;
 * offset -1 = no such tuple.
 */
public interface DecodedChange {

  /** INSERT, UPDATE, DELETE or TRUNCATE; null for a message. */
  OutputPlugin.ChangeKind kind();

  /** The transaction, or the subtransaction of it, that made the change. */
  int xid();

  /** The change record's LSN. */
  long lsn();

  /** The position after the change record: what a logical message carries. */
  long endLsn();

  /** The definition the record names; for TRUNCATE see {@link #truncated}. */
  RelationDefinition relation();

  /**
   * The catalogue the change is judged by: as of its LSN, with what its own transaction changed
   * before it.
   */
  CatalogSnapshot catalog();

  /** What the gate found out about the row, see {@link OutputPlugin#judge}. */
  RowVerdict verdict();

  byte[] buffer();

  /** Offset of the new tuple, beginning with its number of columns. */
  int newTupleOffset();

  int newTupleLength();

  /** {@code 'K'}, {@code 'O'} or 0. */
  char oldTupleKind();

  int oldTupleOffset();

  int oldTupleLength();

  /** TRUNCATE: the tables in statement order that passed the gates. */
  java.util.List<RelationDefinition> truncated();

  /** TRUNCATE: 1 cascade, 2 restart identity. */
  int truncateFlags();

  /** Message: whether it belongs to its transaction. */
  boolean messageTransactional();

  String messagePrefix();

  /** Offset of the message's content in {@link #buffer}. */
  int contentOffset();

  int contentLength();
}
