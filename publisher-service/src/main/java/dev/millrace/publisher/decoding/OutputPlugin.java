package dev.millrace.publisher.decoding;

import dev.millrace.publisher.catalog.CatalogSnapshot;
import java.util.Map;

/**
 * Turns decoded changes into what a consumer of a slot reads. The callbacks are PostgreSQL's; one
 * instance serves one decoding session on one thread.
 *
 * <p>Third parties register a {@link Factory} with {@link java.util.ServiceLoader}.
 */
public interface OutputPlugin {

  /** Makes instances; {@link #name} is what CREATE_REPLICATION_SLOT names. */
  interface Factory {
    String name();

    OutputPlugin create();
  }

  /**
   * Checks the options before anything is sent.
   *
   * @return whether output is text or binary
   * @throws dev.millrace.model.PgException for unknown, missing or illegal options, worded as
   *     PostgreSQL's
   */
  OutputKind startup(Map<String, String> options, OutputWriter writer);

  enum OutputKind {
    TEXT,
    BINARY
  }

  /**
   * The gates' question, before buffering: can a change of this kind in that table ever be sent?
   * Cheap; may cache.
   */
  boolean wants(CatalogSnapshot catalog, int relationOid, ChangeKind kind);

  /**
   * The gates' next question: are the rows of that table, changed in that way, judged one by one?
   * Asked as often as {@link #wants}.
   */
  default boolean judgesRows(CatalogSnapshot catalog, int relationOid, ChangeKind kind) {
    return false;
  }

  /**
   * What becomes of a row of a table whose rows are judged, before it is buffered. An error is not
   * reported yet: the row's verdict is then {@link RowVerdict#OPEN}, and {@link #change} is to find
   * the error again.
   *
   * @param catalog as the change's own transaction saw it
   */
  default RowVerdict judge(CatalogSnapshot catalog, DecodedChange change) {
    return RowVerdict.SEND;
  }

  enum ChangeKind {
    INSERT,
    UPDATE,
    DELETE,
    TRUNCATE
  }

  /** Whether transactions of that origin (not 0) are left out. */
  boolean filterByOrigin(int originId);

  void begin(DecodedTransaction transaction);

  /** An INSERT, UPDATE or DELETE that passed the gates. */
  void change(DecodedTransaction transaction, DecodedChange change);

  void truncate(DecodedTransaction transaction, DecodedChange change);

  void message(DecodedTransaction transaction, DecodedChange change);

  void commit(DecodedTransaction transaction);

  void shutdown();
}
