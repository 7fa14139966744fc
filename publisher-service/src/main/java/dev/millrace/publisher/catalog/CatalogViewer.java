package dev.millrace.publisher.catalog;

/** A session with a transaction that may have changed the catalogue for itself. */
public interface CatalogViewer {

  /** The catalogue as the session's transaction sees it now; on the session's thread. */
  CatalogSnapshot catalogView();
}
