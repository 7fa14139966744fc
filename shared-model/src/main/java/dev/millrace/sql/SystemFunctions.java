package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.h2.value.Value;

/**
 * Where calls from H2 arrive: finds the database's view or function, hands it its caller, and keeps
 * what one statement has computed. Public because H2 calls it; not for use elsewhere.
 */
public final class SystemFunctions {

  /** H2 asks a table function for its columns through a connection of this name first. */
  private static final String COLUMN_LIST = "jdbc:columnlist:connection";

  private static final ThreadLocal<Execution> CURRENT = new ThreadLocal<>();

  private SystemFunctions() {}

  /** The session on this thread, and the rows its running statement has computed so far. */
  private record Execution(SqlSession session, Map<List<Object>, List<Object[]>> rows) {}

  static AutoCloseable enter(SqlSession session) {
    Execution outer = CURRENT.get();
    CURRENT.set(new Execution(session, outer == null ? null : outer.rows()));
    return () -> leave(outer);
  }

  /** Begins a statement on this thread: rows are computed once until the handle is closed. */
  static StatementScope beginStatement() {
    Execution outer = CURRENT.get();
    CURRENT.set(new Execution(outer == null ? null : outer.session(), new HashMap<>()));
    return () -> leave(outer);
  }

  interface StatementScope extends AutoCloseable {
    @Override
    void close();
  }

  private static void leave(Execution outer) {
    if (outer == null) {
      CURRENT.remove();
    } else {
      CURRENT.set(outer);
    }
  }

  static SqlSession currentSession() {
    Execution execution = CURRENT.get();
    return execution == null ? null : execution.session();
  }

  /** The rows of a view; called by the SQL of every view. */
  public static ResultSet viewRows(Connection connection, String name) throws SQLException {
    SystemView view = registry(connection).view(name);
    if (view == null) {
      throw new PgException(SqlState.UNDEFINED_TABLE, "relation \"" + name + "\" does not exist");
    }
    boolean columnsOnly = isColumnList(connection);
    List<Object[]> rows =
        columnsOnly ? List.of() : computedOnce(List.of(name), () -> view.rows().get());
    return SystemValues.resultSet(view.columns(), rows);
  }

  /** The rows of a table function. */
  public static ResultSet rows(Connection connection, String name, Value[] arguments)
      throws SQLException {
    SystemFunction function = function(connection, name);
    if (isColumnList(connection)) {
      return SystemValues.resultSet(function.columns(), List.of());
    }
    List<Object> key = Arrays.asList("()", name, Arrays.asList(arguments));
    List<Object[]> rows = computedOnce(key, () -> call(function, arguments));
    return SystemValues.resultSet(function.columns(), rows);
  }

  /** The value of a scalar function, as its result type's Java class. */
  public static Object scalar(Connection connection, String name, Value[] arguments)
      throws SQLException {
    if (isColumnList(connection)) {
      return null;
    }
    SystemFunction function = function(connection, name);
    List<Object[]> rows = call(function, arguments);
    Object value = rows.isEmpty() ? null : rows.get(0)[0];
    return SystemValues.toResult(value, function.columns().get(0).type());
  }

  private static List<Object[]> call(SystemFunction function, Value[] arguments) {
    Object[] values = SystemValues.arguments(function.parameters(), arguments);
    return function.body().call(currentSession(), values);
  }

  private static List<Object[]> computedOnce(
      List<Object> key, Supplier<List<Object[]>> computation) {
    Execution execution = CURRENT.get();
    if (execution == null || execution.rows() == null) {
      return computation.get();
    }
    List<Object[]> rows = execution.rows().get(key);
    if (rows == null) {
      rows = computation.get();
      execution.rows().put(key, rows);
    }
    return rows;
  }

  private static boolean isColumnList(Connection connection) throws SQLException {
    return COLUMN_LIST.equals(connection.getMetaData().getURL());
  }

  private static SystemFunction function(Connection connection, String name) throws SQLException {
    SystemFunction function = registry(connection).function(name);
    if (function == null) {
      throw new PgException(SqlState.UNDEFINED_FUNCTION, "function " + name + " does not exist");
    }
    return function;
  }

  private static SystemRegistry registry(Connection connection) throws SQLException {
    SystemRegistry registry = SystemRegistry.of(connection);
    if (registry == null) {
      throw new PgException(SqlState.CANNOT_CONNECT_NOW, "the database system is starting up");
    }
    return registry;
  }
}
