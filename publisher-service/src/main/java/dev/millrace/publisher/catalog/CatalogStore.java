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
}
