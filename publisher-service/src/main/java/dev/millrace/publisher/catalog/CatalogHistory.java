package dev.millrace.publisher.catalog;

import dev.millrace.model.RelationDefinition;

/**
 * The catalogue over time, as decoding reads it. Safe for any thread; answers come from memory.
 *
 * <p>A decoder keeps the snapshot of its position and the position of the next change, so that an
 * unchanged catalogue costs one comparison per record. A snapshot is entered by the append hook of
 * its commit record, so it is here before any reader can meet that record.
 */
public interface CatalogHistory {

  /** The newest committed catalogue. */
  CatalogSnapshot current();

  /**
   * The catalogue that a change record at {@code lsn} is judged by: the last snapshot with {@code
   * sinceLsn <= lsn}.
   */
  CatalogSnapshot asOf(long lsn);

  /** The {@code sinceLsn} of the first snapshot after {@code lsn}, or {@code Long.MAX_VALUE}. */
  long nextChangeAfter(long lsn);

  /**
   * The definition a change record names.
   *
   * @throws dev.millrace.model.PgException XX000 when it is not kept any more
   */
  RelationDefinition relation(int oid, int version);

  /**
   * The catalogue that results for the transaction itself when it wrote a CATALOG record: {@code
   * base} (its view so far) with the record's definition put in.
   *
   * @param body the record's body, see WalFormat
   */
  CatalogSnapshot withRecord(CatalogSnapshot base, byte[] buffer, int bodyOffset, int bodyLength);

  /** Forgets versions that no decoding from {@code lsn} on needs. */
  void forgetBefore(long lsn);
}
