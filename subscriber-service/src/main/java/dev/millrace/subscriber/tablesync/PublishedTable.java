package dev.millrace.subscriber.tablesync;

import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import dev.millrace.subscriber.receiver.PublisherConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What the publisher publishes of one table, as of the session's snapshot.
 *
 * @param columns in the publisher's order
 */
public record PublishedTable(QualifiedName name, List<String> columns) {

  /**
   * @throws PgException 42704 when none of the publications holds the table, 0A000 when they list
   *     different columns of it
   */
  static PublishedTable fetch(
      PublisherConnection connection, QualifiedName table, List<String> publications) {
    String names =
        publications.stream().map(Identifiers::literal).collect(Collectors.joining(", "));
    PublisherConnection.QueryResult result =
        connection.execute(
            "SELECT pubname, schemaname, tablename, attnames, rowfilter FROM pg_publication_tables"
                + " WHERE pubname IN ("
                + names
                + ")");
    String columns = null;
    for (List<Object> row : result.rows()) {
      if (table.schema().equals(row.get(1)) && table.name().equals(row.get(2))) {
        String now = String.valueOf(row.get(3));
        if (columns != null && !columns.equals(now)) {
          throw differentLists(table);
        }
        columns = now;
      }
    }
    if (columns == null) {
      throw new PgException(
          SqlState.UNDEFINED_OBJECT, "table \"" + table + "\" not found on publisher");
    }
    return new PublishedTable(table, names(columns));
  }

  /** The refusal of publications that do not publish the same columns of a table. */
  public static PgException differentLists(QualifiedName table) {
    return new PgException(
        SqlState.FEATURE_NOT_SUPPORTED,
        "cannot use different column lists for table \"" + table + "\" in different publications");
  }

  /** The elements of an array's text form: {@code {id,"Mixed, name"}}. */
  static List<String> names(String array) {
    List<String> names = new ArrayList<>();
    StringBuilder name = new StringBuilder();
    boolean quoted = false;
    boolean any = false;
    for (int i = 1; i < array.length() - 1; i++) {
      char c = array.charAt(i);
      if (c == '\\') {
        name.append(array.charAt(++i));
      } else if (c == '"') {
        quoted = !quoted;
        any = true;
      } else if (c == ',' && !quoted) {
        names.add(name.toString());
        name.setLength(0);
        any = false;
        continue;
      } else {
        name.append(c);
      }
    }
    if (any || name.length() > 0) {
      names.add(name.toString());
    }
    return names;
  }

  /** Rows in the snapshot, for showing progress. */
  long count(PublisherConnection connection) {
    PublisherConnection.QueryResult result =
        connection.execute("SELECT count(*) FROM " + name.quoted());
    Object value = result.rows().get(0).get(0);
    return value instanceof Number number
        ? number.longValue()
        : Long.parseLong(String.valueOf(value));
  }

  String copyCommand() {
    return "COPY "
        + name.quoted()
        + " ("
        + columns.stream().map(Identifiers::quote).collect(Collectors.joining(", "))
        + ") TO STDOUT";
  }
}
