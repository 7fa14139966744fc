package dev.millrace.publisher.walsender;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.database.PublisherNode.PinnedSnapshot;
import dev.millrace.replication.CopyDataWriter;
import dev.millrace.sql.CopySelect;
import dev.millrace.sql.H2Errors;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * {@code COPY table (columns) TO STDOUT} and {@code COPY (SELECT columns FROM table WHERE ..) TO
 * STDOUT}: streams the rows a snapshot shows, one CopyData message each, many to a frame. Nothing
 * is buffered beyond a frame; a slow peer slows the query.
 */
final class TableCopy {

  private static final int FETCH_ROWS = 1000;

  private final RelationDefinition relation;
  private final List<ColumnDefinition> columns;
  private final CopySelect select;

  /**
   * @param select null for all rows
   */
  private TableCopy(
      RelationDefinition relation, List<ColumnDefinition> columns, CopySelect select) {
    this.relation = relation;
    this.columns = columns;
    this.select = select;
  }

  /**
   * @param names the columns asked for in their order; null for all that are not generated
   * @throws PgException 42703 for an unknown column, 42701 for one named twice, 42P10 for a
   *     generated one
   */
  static TableCopy of(RelationDefinition relation, List<String> names) {
    return new TableCopy(
        relation, names == null ? plainColumns(relation) : named(relation, names), null);
  }

  /**
   * Some rows, and generated columns too where the query names them.
   *
   * @throws PgException 42703 for an unknown column
   */
  static TableCopy of(RelationDefinition relation, CopySelect select) {
    List<ColumnDefinition> columns =
        select.columns().stream().map(name -> column(relation, name)).toList();
    return new TableCopy(relation, columns, select);
  }

  private static List<ColumnDefinition> plainColumns(RelationDefinition relation) {
    return relation.columns().stream().filter(column -> !column.isGenerated()).toList();
  }

  private static List<ColumnDefinition> named(RelationDefinition relation, List<String> names) {
    List<ColumnDefinition> found = new ArrayList<>();
    for (String name : names) {
      ColumnDefinition column = column(relation, name);
      if (found.contains(column)) {
        throw new PgException(
            SqlState.DUPLICATE_COLUMN, "column \"" + name + "\" specified more than once");
      }
      if (column.isGenerated()) {
        throw new PgException(
                SqlState.INVALID_COLUMN_REFERENCE, "column \"" + name + "\" is a generated column")
            .withDetail("Generated columns cannot be used in COPY.");
      }
      found.add(column);
    }
    return found;
  }

  private static ColumnDefinition column(RelationDefinition relation, String name) {
    int index = relation.columnIndex(name);
    if (index < 0) {
      throw new PgException(
          SqlState.UNDEFINED_COLUMN,
          "column \"" + name + "\" of relation \"" + relation.name().name() + "\" does not exist");
    }
    return relation.columns().get(index);
  }

  /**
   * Runs the copy; the reply that starts it has been sent.
   *
   * @return the number of rows
   */
  long run(PinnedSnapshot snapshot, ReplicationClient client) {
    if (snapshot.isForeign()) {
      String condition = select == null ? null : select.condition();
      String query = query("", snapshot.publishedRows(relation.name()), condition);
      return new SourceCopy(snapshot.connection()).run(query, client);
    }
    CopyDataWriter frame = new CopyDataWriter();
    CopyTextEncoder encoder = new CopyTextEncoder(columns);
    CopyRow row = new CopyRow(columns);
    long rows = 0;
    try (Statement statement = snapshot.connection().createStatement()) {
      statement.setFetchSize(FETCH_ROWS);
      try (ResultSet result =
          statement.executeQuery(
              query(
                  "1",
                  Identifiers.alwaysQuote(relation.name()),
                  select == null ? null : select.h2Condition()))) {
        while (result.next()) {
          ByteBuilder out = frame.begin();
          for (int i = 0; i < columns.size(); i++) {
            encoder.append(i, row.value(result, i), out);
          }
          encoder.endRow(out);
          frame.end();
          rows++;
          if (frame.isFull()) {
            send(frame, client);
          }
        }
      }
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
    frame.addCopyDone();
    send(frame, client);
    return rows;
  }

  private static void send(CopyDataWriter frame, ReplicationClient client) {
    client.copyData(frame.array(), 0, frame.size());
    frame.clear();
  }

  /** A table without columns still has rows, each an empty line. */
  private String query(String noColumns, String from, String condition) {
    String list =
        columns.isEmpty()
            ? noColumns
            : columns.stream()
                .map(column -> Identifiers.alwaysQuote(column.name()))
                .collect(Collectors.joining(", "));
    return "SELECT " + list + " FROM " + from + (condition == null ? "" : " WHERE " + condition);
  }
}
