package dev.millrace.publisher.filter;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.PgException;
import dev.millrace.model.PgType;
import dev.millrace.model.RelationDefinition;
import dev.millrace.sql.H2Errors;
import dev.millrace.sql.RowFilterText;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.h2.command.Parser;
import org.h2.engine.SessionLocal;
import org.h2.expression.Expression;
import org.h2.jdbc.JdbcConnection;
import org.h2.message.DbException;

/**
 * Compiles row filters. It has an empty H2 database of its own in memory, in the mode of the user's
 * database: an expression finds the same operators and functions there, and nothing else.
 *
 * <p>A compiled filter is an H2 expression tree bound to the columns of one version of a table;
 * evaluating it parses nothing, runs no query and makes no object but the row's values. A session
 * and its filters belong to one thread.
 */
public final class FilterSession implements AutoCloseable {

  private static final String URL =
      "jdbc:h2:mem:;MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH;TIME ZONE=UTC";

  private Connection connection;

  /**
   * A filter that a row passes when it passes one of {@code alternatives}.
   *
   * @param alternatives as {@link RowFilterText} keeps them, at least one
   * @throws PgException 42804 when one is not boolean; 42883, 22P02 and others for what H2 finds
   */
  public RowFilter compile(List<String> alternatives, RelationDefinition relation) {
    Set<Integer> attnums = new TreeSet<>();
    alternatives.forEach(filter -> attnums.addAll(RowFilterText.attnums(filter)));
    FilterColumns columns = new FilterColumns(relation, attnums);
    String sql =
        alternatives.stream()
            .map(filter -> h2(filter, relation, attnums))
            .collect(Collectors.joining(") OR (", "(", ")"));
    SessionLocal session = session();
    try {
      Expression expression = new Parser(session).parseExpression(sql);
      expression.mapColumns(columns, 0, Expression.MAP_INITIAL);
      expression = expression.optimize(session);
      return new RowFilter(session, expression, columns);
    } catch (DbException e) {
      throw translated(e);
    }
  }

  /**
   * Checks a filter before a publication takes it.
   *
   * @throws PgException as {@link #compile}
   */
  public static void check(String filter, RelationDefinition relation) {
    try (FilterSession session = new FilterSession()) {
      session.compile(List.of(filter), relation).requireBoolean();
    }
  }

  private static String h2(String filter, RelationDefinition relation, Set<Integer> attnums) {
    boolean bytea =
        relation.columns().stream()
            .filter(column -> attnums.contains(column.attnum()))
            .mapToInt(ColumnDefinition::typeOid)
            .anyMatch(oid -> oid == PgType.BYTEA);
    return RowFilterText.h2(filter, FilterColumns::quotedName, bytea);
  }

  static PgException translated(DbException e) {
    return H2Errors.translate(DbException.toSQLException(e));
  }

  private SessionLocal session() {
    try {
      if (connection == null) {
        connection = DriverManager.getConnection(URL, "filter", "");
      }
      return (SessionLocal) connection.unwrap(JdbcConnection.class).getSession();
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  /** The database goes with its only connection. */
  @Override
  public void close() {
    if (connection != null) {
      try {
        connection.close();
      } catch (SQLException e) {
        throw H2Errors.translate(e);
      } finally {
        connection = null;
      }
    }
  }
}
