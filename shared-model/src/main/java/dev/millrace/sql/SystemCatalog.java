package dev.millrace.sql;

import dev.millrace.model.Identifiers;
import dev.millrace.model.PgType;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Puts {@link SystemView}s and {@link SystemFunction}s into an H2 database: an alias and a view
 * each, in schema {@code pg_catalog_millrace}. Registered by database, so that several nodes can
 * live in one JVM.
 *
 * <p>H2 knows user-defined functions only as static Java methods, and tells such a method neither
 * its name in SQL nor its session's owner. {@link SystemFunctionLoader} gives each function a
 * method of its own; a view is a query on one table function that takes the view's name. Within one
 * statement a view's rows are computed once, however often a join asks for them, and a table
 * function runs once for the same arguments.
 *
 * <p>The schema also holds the domains that tell PostgreSQL's types apart where H2 has one for
 * several (text and varchar, oid and bigint).
 */
public final class SystemCatalog {

  /** The schema that stands first in every session's search path. */
  public static final String SCHEMA = "pg_catalog_millrace";

  /** The domain that all enums are made from. */
  static final String ENUM = "enum";

  /** Its name in a statement. */
  static final String ENUM_DOMAIN = qualified(ENUM);

  /** Turns an array of H2's into PostgreSQL's text form. */
  static final String ARRAY_TEXT = "array_text";

  /** Draws the next value of an identity column. */
  static final String IDENTITY_NEXT = "identity_next";

  /** The function around the conditions of domains ({@link DomainCheck}). */
  static final String DOMAIN_CHECK = "domain_check";

  private static final String DOMAIN_CHECK_METHOD = DomainCheck.class.getName() + ".check";

  private static final String IDENTITY_METHOD = IdentityFunction.class.getName() + ".next";
  private static final String ARRAY_METHOD = ArrayFunction.class.getName() + ".text";
  private static final String VIEW_ROWS = "view_rows";

  private SystemCatalog() {}

  /**
   * Creates or replaces the aliases, views and domains; {@code admin} is a connection with admin
   * rights. Every user may read the views afterwards.
   */
  public static void install(
      Connection admin, List<SystemView> views, List<SystemFunction> functions) {
    SystemRegistry registry = new SystemRegistry(views, functions);
    try (Statement statement = admin.createStatement()) {
      installTypes(statement);
      // Our version(), set_config() and format_type() prevail over the emulated ones.
      statement.execute("SET BUILTIN_ALIAS_OVERRIDE TRUE");
      SystemRegistry.register(admin, registry);
      installAliases(statement, functions);
      for (SystemView view : views) {
        statement.execute(
            "CREATE OR REPLACE VIEW "
                + qualified(view.name())
                + " AS SELECT * FROM "
                + qualified(VIEW_ROWS)
                + "("
                + Identifiers.literal(view.name())
                + ")");
      }
      recompileViews(statement);
      statement.execute("GRANT SELECT ON SCHEMA " + SCHEMA + " TO PUBLIC");
    } catch (SQLException error) {
      throw H2Errors.translate(error);
    }
  }

  /**
   * Creates the schema with the domains of {@link PgType#h2Name} and the function around ARRAY[..];
   * table definitions need them.
   */
  public static void installTypes(Connection admin) {
    try (Statement statement = admin.createStatement()) {
      installTypes(statement);
    } catch (SQLException error) {
      throw H2Errors.translate(error);
    }
  }

  private static void installTypes(Statement statement) throws SQLException {
    statement.execute("CREATE SCHEMA IF NOT EXISTS " + SCHEMA);
    domain(statement, PgType.VARCHAR, "CHARACTER VARYING");
    domain(statement, PgType.BPCHAR, "CHARACTER VARYING");
    domain(statement, PgType.NAME, "CHARACTER VARYING(63)");
    domain(statement, PgType.PG_LSN, "CHARACTER VARYING(17)");
    domain(statement, PgType.OID, "BIGINT CHECK (VALUE BETWEEN 0 AND 4294967295)");
    domain(statement, PgType.XID, "BIGINT CHECK (VALUE BETWEEN 0 AND 4294967295)");
    for (PgType type : PgType.all()) {
      if (type.isText()) {
        domain(statement, type.oid(), "CHARACTER VARYING");
      }
    }
    statement.execute("CREATE DOMAIN IF NOT EXISTS " + ENUM_DOMAIN + " AS CHARACTER VARYING");
    statement.execute(
        "CREATE ALIAS IF NOT EXISTS "
            + qualified(ARRAY_TEXT)
            + " FOR "
            + Identifiers.literal(ARRAY_METHOD));
    statement.execute(
        "CREATE ALIAS IF NOT EXISTS "
            + qualified(IDENTITY_NEXT)
            + " FOR "
            + Identifiers.literal(IDENTITY_METHOD));
    statement.execute(
        "CREATE ALIAS IF NOT EXISTS "
            + qualified(DOMAIN_CHECK)
            + " FOR "
            + Identifiers.literal(DOMAIN_CHECK_METHOD));
  }

  private static void domain(Statement statement, int typeOid, String definition)
      throws SQLException {
    String name = PgType.byOid(typeOid).h2Name();
    statement.execute("CREATE DOMAIN IF NOT EXISTS " + name + " AS " + definition);
  }

  /** Views of users that read ours were invalid from the opening of the database until now. */
  private static void recompileViews(Statement statement) throws SQLException {
    List<String> invalid = new ArrayList<>();
    try (ResultSet rows =
        statement.executeQuery(
            "SELECT TABLE_SCHEMA, TABLE_NAME FROM INFORMATION_SCHEMA.VIEWS"
                + " WHERE STATUS = 'INVALID'")) {
      while (rows.next()) {
        invalid.add(
            Identifiers.alwaysQuote(rows.getString(1))
                + '.'
                + Identifiers.alwaysQuote(rows.getString(2)));
      }
    }
    for (String view : invalid) {
      try {
        statement.execute("ALTER VIEW " + view + " RECOMPILE");
      } catch (SQLException stillInvalid) {
        // It names something that is gone; whoever reads the view is told, the others are not held
        // up by it.
        continue;
      }
    }
  }

  /** Aliases stay as they are from start to start unless the method behind them changed. */
  private static void installAliases(Statement statement, List<SystemFunction> functions)
      throws SQLException {
    Map<String, String> existing = existingAliases(statement);
    alias(statement, existing, VIEW_ROWS, SystemFunctions.class.getName() + ".viewRows");
    alias(statement, existing, ARRAY_TEXT, ARRAY_METHOD);
    alias(statement, existing, IDENTITY_NEXT, IDENTITY_METHOD);
    alias(statement, existing, DOMAIN_CHECK, DOMAIN_CHECK_METHOD);
    for (SystemFunction function : functions) {
      alias(statement, existing, function.name(), SystemFunctionLoader.methodFor(function));
    }
    for (String stale : existing.keySet()) {
      statement.execute("DROP ALIAS IF EXISTS " + qualified(stale));
    }
  }

  private static Map<String, String> existingAliases(Statement statement) throws SQLException {
    Map<String, String> existing = new HashMap<>();
    try (ResultSet rows =
        statement.executeQuery(
            "SELECT ROUTINE_NAME, EXTERNAL_NAME FROM INFORMATION_SCHEMA.ROUTINES"
                + " WHERE ROUTINE_SCHEMA = '"
                + SCHEMA
                + "'")) {
      while (rows.next()) {
        existing.put(rows.getString(1), rows.getString(2));
      }
    }
    return existing;
  }

  private static void alias(
      Statement statement, Map<String, String> existing, String name, String method)
      throws SQLException {
    if (!method.equals(existing.remove(name))) {
      statement.execute("DROP ALIAS IF EXISTS " + qualified(name));
      statement.execute("CREATE ALIAS " + qualified(name) + " FOR " + Identifiers.literal(method));
    }
  }

  private static String qualified(String name) {
    return Identifiers.alwaysQuote(SCHEMA) + '.' + Identifiers.alwaysQuote(name);
  }

  /**
   * Names the session whose statement runs on this thread until the returned handle is closed;
   * functions get it as caller.
   */
  public static AutoCloseable enter(SqlSession session) {
    return SystemFunctions.enter(session);
  }

  /** The session whose statement runs on this thread, or null: for views that depend on it. */
  public static SqlSession currentSession() {
    return SystemFunctions.currentSession();
  }
}
