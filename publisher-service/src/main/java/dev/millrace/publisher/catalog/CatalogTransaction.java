package dev.millrace.publisher.catalog;

import dev.millrace.model.RelationDefinition;
import dev.millrace.model.TypeDefinition;
import dev.millrace.publisher.wal.WalBatch;

/**
 * The catalogue changes of one open transaction: its own view sees them at once, others after its
 * commit record. One thread.
 *
 * <p>Publications it names are its own until it ends, as PostgreSQL's locks would have it; so every
 * transaction must end in {@link #committed} or {@code rollbackTo(0)}.
 */
public interface CatalogTransaction {

  /** The committed catalogue with this transaction's changes on top. */
  CatalogSnapshot view();

  /** How {@link #lockPublication} waits from now on; without limit at first. */
  void patience(LockPatience patience);

  /**
   * Takes a publication's name, existing or not, until this transaction ends; waits while another
   * one holds it. Look at {@link #view} afterwards.
   *
   * @throws dev.millrace.model.PgException 40P01 in a deadlock, 55P03 after the patience's
   *     time-out, and what its check throws
   */
  void lockPublication(String name);

  /**
   * Whoever applies it also takes the table out of the publications whose row filter or column list
   * names a column that it has not any more.
   */
  void put(RelationDefinition relation);

  /** Whoever applies it also takes the table out of the publications that list it. */
  void dropRelation(int oid);

  void put(SchemaDefinition schema);

  /** Whoever applies it also takes the schema out of the publications that list it. */
  void dropSchema(int oid);

  /** Creates or replaces; the OID decides, so a rename is a put under the new name. */
  void put(TypeDefinition type);

  void dropType(int oid);

  /** Creates or replaces; the OID decides, so a rename is a put under the new name. */
  void put(PublicationDefinition publication);

  void dropPublication(int oid);

  boolean isEmpty();

  /** Encodes the CATALOG records of the changes made since the last call. */
  void encode(WalBatch batch, int xid, int topXid, int databaseOid);

  /**
   * Takes one CATALOG record of a transaction that a start found prepared: the change, already in
   * the log, and the lock of its publication.
   */
  void resume(byte[] buffer, int bodyOffset, int bodyLength);

  /** A number to give to {@link #rollbackTo}: what was changed later can be undone. */
  int mark();

  /** Undoes what came after the mark; {@code rollbackTo(0)} ends the transaction. */
  void rollbackTo(int mark);

  /**
   * Called by the append hook of the commit record: the changes become the current snapshot as of
   * {@code endLsn}. Ends the transaction.
   */
  void committed(long endLsn);
}
