package dev.millrace.publisher.walsender;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.sql.ResultColumn;
import dev.millrace.sql.StatementResult;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A query about tables that are on a PostgreSQL server, answered as this node answers its own. */
final class SourceQuery {

  private static final long MAX_EXACT = 1L << 53;

  private final Connection connection;
  private final int maxRows;

  SourceQuery(Connection connection, int maxRows) {
    this.connection = connection;
    this.maxRows = maxRows;
  }

  StatementResult run(String sql) {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      ResultSetMetaData meta = result.getMetaData();
      List<ResultColumn> columns = new ArrayList<>();
      for (int i = 1; i <= meta.getColumnCount(); i++) {
        columns.add(new ResultColumn(meta.getColumnLabel(i), meta.getColumnTypeName(i)));
      }
      List<List<Object>> rows = new ArrayList<>();
      while (result.next()) {
        if (rows.size() == maxRows) {
          throw new PgException(
              SqlState.PROGRAM_LIMIT_EXCEEDED, "the answer has more than " + maxRows + " rows");
        }
        rows.add(row(result, columns));
      }
      return new StatementResult("SELECT " + rows.size(), columns, rows);
    } catch (SQLException e) {
      throw SourceCopy.failed(e);
    }
  }

  private static List<Object> row(ResultSet result, List<ResultColumn> columns)
      throws SQLException {
    List<Object> row = new ArrayList<>();
    for (int i = 1; i <= columns.size(); i++) {
      String text = result.getString(i);
      row.add(text == null ? null : value(text, columns.get(i - 1).type()));
    }
    return row;
  }

  private static Object value(String text, String type) {
    switch (type) {
      case "bool":
        return text.equals("t") || text.equals("true");
      case "int2", "int4":
        return Integer.valueOf(text);
      case "int8", "oid", "xid":
        long number = Long.parseLong(text);
        return Math.abs(number) < MAX_EXACT ? (Object) number : text;
      default:
        return text;
    }
  }
}
