package dev.millrace.subscriber.tablesync;

import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import dev.millrace.subscriber.receiver.PublisherConnection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the publisher publishes of one table, as of the session's snapshot.
 *
 * @param columns in the publisher's order
 * @param condition the rows that are published, as SQL; null for all
 * @param generated whether a column is generated there, which a plain COPY would not give
 */
public record PublishedTable(
    QualifiedName name, List<String> columns, String condition, boolean generated) {

  /**
   * @throws PgException 42704 when none of the publications holds the table, 0A000 when they list
   *     different columns of it
   */
  static PublishedTable fetch(
      PublisherConnection connection, QualifiedName table, List<String> publications) {
    String publicationNames =
        publications.stream().map(Identifiers::literal).collect(Collectors.joining(", "));
    PublisherConnection.QueryResult result =
        connection.execute(
            "SELECT pubname, schemaname, tablename, attnames, rowfilter FROM pg_publication_tables"
                + " WHERE pubname IN ("
                + publicationNames
                + ")");
    String columns = null;
    boolean allRows = false;
    Set<String> filters = new LinkedHashSet<>();
    for (List<Object> row : result.rows()) {
      if (table.schema().equals(row.get(1)) && table.name().equals(row.get(2))) {
        String now = String.valueOf(row.get(3));
        if (columns != null && !columns.equals(now)) {
          throw differentLists(table);
        }
        columns = now;
        allRows |= row.get(4) == null;
        filters.add(String.valueOf(row.get(4)));
      }
    }
    if (columns == null) {
      throw new PgException(
          SqlState.UNDEFINED_OBJECT, "table \"" + table + "\" not found on publisher");
    }
    List<String> names = names(columns);
    return new PublishedTable(
        table,
        names,
        allRows ? null : String.join(" OR ", filters),
        !Collections.disjoint(names, generatedColumns(connection, table)));
  }

  private static List<String> generatedColumns(
      PublisherConnection connection, QualifiedName table) {
    return connection
        .execute(
            "SELECT a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN"
                + " pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = "
                + Identifiers.literal(table.schema())
                + " AND c.relname = "
                + Identifiers.literal(table.name())
                + " AND a.attgenerated <> ''")
        .rows()
        .stream()
        .map(row -> String.valueOf(row.get(0)))
        .toList();
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
        connection.execute("SELECT count(*) FROM " + name.quoted() + where());
    Object value = result.rows().get(0).get(0);
    return value instanceof Number number
        ? number.longValue()
        : Long.parseLong(String.valueOf(value));
  }

  private String where() {
    return condition == null ? "" : " WHERE " + condition;
  }

  String copyCommand() {
    String list = columns.stream().map(Identifiers::quote).collect(Collectors.joining(", "));
    return condition == null && !generated
        ? "COPY " + name.quoted() + " (" + list + ") TO STDOUT"
        : "COPY (SELECT " + list + " FROM ONLY " + name.quoted() + where() + ") TO STDOUT";
  }
}
