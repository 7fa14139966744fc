package dev.millrace.publisher.catalog;

import dev.millrace.model.RelationDefinition;
import dev.millrace.publisher.wal.WalBatch;

/**
 * The catalogue changes of one open transaction: its own view sees them at once, others after its
 * commit record. One thread.
 */
public interface CatalogTransaction {

  /** The committed catalogue with this transaction's changes on top. */
  CatalogSnapshot view();

  void put(RelationDefinition relation);

  void dropRelation(int oid);

  void put(SchemaDefinition schema);

  void dropSchema(int oid);

  /**
   * Creates or replaces; a rename is {@link #dropPublication} of the old name's OID and a put with
   * the same OID.
   */
  void put(PublicationDefinition publication);

  void dropPublication(int oid);

  boolean isEmpty();

  /** Encodes the CATALOG records of the changes made since the last call. */
  void encode(WalBatch batch, int xid, int topXid, int databaseOid);

  /** A number to give to {@link #rollbackTo}: what was changed later can be undone. */
  int mark();

  void rollbackTo(int mark);

  /**
   * Called by the append hook of the commit record: the changes become the current snapshot as of
   * {@code endLsn}.
   */
  void committed(long endLsn);
}
