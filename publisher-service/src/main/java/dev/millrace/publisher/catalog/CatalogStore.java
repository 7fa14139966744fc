package dev.millrace.publisher.catalog;

/** The writing side of the catalogue. Safe for any thread. */
public interface CatalogStore extends CatalogHistory {

  /**
   * A new OID, never given out before; its bound is in the log or the projection before it can be
   * used.
   */
  int nextOid();

  /** Begins to collect the catalogue changes of one transaction. */
  CatalogTransaction begin();

  /**
   * Recovery's entry: takes one CATALOG record of a transaction whose commit record ends at {@code
   * endLsn}. Called in log order, several times for a transaction with several records; what the
   * projection has already is passed over.
   */
  void replay(long endLsn, byte[] buffer, int bodyOffset, int bodyLength);

  /**
   * Brings everything committed so far into the projection and onto the disk: the log before it is
   * not needed for the catalogue any more. Part of a checkpoint, before the redo position moves.
   */
  void save();
}
