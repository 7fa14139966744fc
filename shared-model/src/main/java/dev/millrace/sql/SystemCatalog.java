package dev.millrace.sql;

import java.sql.Connection;
import java.util.List;

/**
 * Puts {@link SystemView}s and {@link SystemFunction}s into an H2 database: an alias and a view
 * each, in schema {@code pg_catalog_millrace}. Registered by database, so that several nodes can
 * live in one JVM.
 */
public final class SystemCatalog {

  /** The schema that stands first in every session's search path. */
  public static final String SCHEMA = "pg_catalog_millrace";

  private SystemCatalog() {}

  /** Creates or replaces the aliases and views; {@code admin} is a connection with admin rights. */
  public static void install(
      Connection admin, List<SystemView> views, List<SystemFunction> functions) {
    throw new UnsupportedOperationException("types");
  }

  /**
   * Names the session whose statement runs on this thread until the returned handle is closed;
   * functions get it as caller.
   */
  public static AutoCloseable enter(SqlSession session) {
    throw new UnsupportedOperationException("types");
  }
}
