package dev.millrace.subscriber.apply;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.Identifiers;
import dev.millrace.pgoutput.MessageType;
import dev.millrace.pgoutput.TupleData;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The statements that write one table, made at first use and kept while the table stays open.
 *
 * <p>An UPDATE has one statement per set of columns that stay as they are ({@code u}), and per
 * whether an old tuple came with it: without one the key has not changed and is not written.
 */
final class RelationStatements implements AutoCloseable {

  private final Connection connection;
  private final TargetRelation relation;
  private final boolean hasAlwaysIdentity;
  private final Map<UpdateShape, RowStatement> updates = new HashMap<>();
  private RowStatement insert;
  private RowStatement plainUpdate;
  private RowStatement delete;

  private record UpdateShape(boolean oldTuple, BitSet kept) {}

  RelationStatements(Connection connection, TargetRelation relation) {
    this.connection = connection;
    this.relation = relation;
    boolean found = false;
    for (int i = 0; i < relation.columnCount(); i++) {
      found |= relation.column(i).identity() == 'a';
    }
    this.hasAlwaysIdentity = found;
  }

  RowStatement insert() throws SQLException {
    if (insert == null) {
      insert = makeInsert();
    }
    return insert;
  }

  RowStatement update(TupleData oldTuple, TupleData newTuple) throws SQLException {
    if (oldTuple == null && !hasAlwaysIdentity && !anyUnchanged(newTuple)) {
      if (plainUpdate == null) {
        plainUpdate = makeUpdate(new UpdateShape(false, new BitSet()));
      }
      return plainUpdate;
    }
    UpdateShape shape = shape(oldTuple, newTuple);
    RowStatement known = updates.get(shape);
    if (known == null) {
      known = makeUpdate(shape);
      updates.put(shape, known);
    }
    return known;
  }

  RowStatement delete() throws SQLException {
    if (delete == null) {
      List<PreparedRowStatement.Source> parameters = new ArrayList<>();
      String sql = "DELETE FROM " + relation.sqlName() + " WHERE " + search(true, parameters);
      delete = prepared(MessageType.DELETE, sql, parameters);
    }
    return delete;
  }

  private boolean anyUnchanged(TupleData tuple) {
    for (int i = 0; i < relation.columnCount(); i++) {
      if (tuple.isUnchanged(i)) {
        return true;
      }
    }
    return false;
  }

  /** H2 refuses to write GENERATED ALWAYS columns in UPDATE: keep those that are equal anyway. */
  private UpdateShape shape(TupleData oldTuple, TupleData newTuple) {
    BitSet kept = new BitSet();
    for (int i = 0; i < relation.columnCount(); i++) {
      boolean always = relation.column(i).identity() == 'a';
      if (newTuple.isUnchanged(i)
          || always && oldTuple != null && sameValue(oldTuple, newTuple, i)) {
        kept.set(i);
      }
    }
    return new UpdateShape(oldTuple != null, kept);
  }

  private static boolean sameValue(TupleData a, TupleData b, int column) {
    return a.hasValue(column)
        && b.hasValue(column)
        && java.util.Arrays.equals(
            a.buffer(),
            a.valueOffset(column),
            a.valueOffset(column) + a.valueLength(column),
            b.buffer(),
            b.valueOffset(column),
            b.valueOffset(column) + b.valueLength(column));
  }

  private RowStatement makeInsert() throws SQLException {
    List<PreparedRowStatement.Source> parameters = new ArrayList<>();
    List<String> names = new ArrayList<>();
    boolean identity = false;
    for (int i = 0; i < relation.columnCount(); i++) {
      names.add(relation.sqlName(i));
      parameters.add(new PreparedRowStatement.Source(false, i));
      identity |= relation.column(i).identity() != 0;
    }
    String sql =
        "INSERT INTO "
            + relation.sqlName()
            + (names.isEmpty()
                ? " DEFAULT VALUES"
                : " ("
                    + String.join(", ", names)
                    + ")"
                    + (identity ? " OVERRIDING SYSTEM VALUE" : "")
                    + " VALUES ("
                    + "?, ".repeat(names.size() - 1)
                    + "?)");
    return prepared(MessageType.INSERT, sql, parameters);
  }

  private RowStatement makeUpdate(UpdateShape shape) throws SQLException {
    List<Integer> written = new ArrayList<>();
    boolean replaces = false;
    for (int i = 0; i < relation.columnCount(); i++) {
      boolean keyUnchanged = !shape.oldTuple() && relation.isSearchKey(i);
      if (!shape.kept().get(i) && !keyUnchanged) {
        written.add(i);
        replaces |= relation.column(i).identity() == 'a';
      }
    }
    if (replaces) {
      return replacement(shape, written);
    }
    if (written.isEmpty()) {
      // Nothing to write, but a missing row must still be noticed.
      int anyKey = relation.searchKey()[0];
      if (relation.column(anyKey).identity() == 'a') {
        return replacement(shape, written);
      }
      written.add(anyKey);
    }
    List<PreparedRowStatement.Source> parameters = new ArrayList<>();
    String assignments =
        written.stream().map(i -> relation.sqlName(i) + " = ?").collect(Collectors.joining(", "));
    written.forEach(
        i ->
            parameters.add(
                new PreparedRowStatement.Source(shape.kept().get(i) && shape.oldTuple(), i)));
    String sql =
        "UPDATE "
            + relation.sqlName()
            + " SET "
            + assignments
            + " WHERE "
            + search(shape.oldTuple(), parameters);
    return prepared(MessageType.UPDATE, sql, parameters);
  }

  private RowStatement replacement(UpdateShape shape, List<Integer> written) throws SQLException {
    List<ColumnDefinition> locals =
        relation.local().columns().stream().filter(column -> !column.isGenerated()).toList();
    List<PreparedRowStatement.Source> key = new ArrayList<>();
    String search = search(shape.oldTuple(), key);
    String list =
        locals.stream()
            .map(column -> Identifiers.alwaysQuote(column.name()))
            .collect(Collectors.joining(", "));
    return new ReplacingRowStatement(
        relation,
        connection.prepareStatement(
            "SELECT " + list + " FROM " + relation.sqlName() + " WHERE " + search),
        connection.prepareStatement("DELETE FROM " + relation.sqlName() + " WHERE " + search),
        connection.prepareStatement(
            "INSERT INTO "
                + relation.sqlName()
                + " ("
                + list
                + ") OVERRIDING SYSTEM VALUE VALUES ("
                + "?, ".repeat(locals.size() - 1)
                + "?)"),
        locals,
        key,
        written);
  }

  /** The condition that finds the row, its parameters added in order. */
  private String search(boolean fromOld, List<PreparedRowStatement.Source> parameters) {
    for (int column : relation.searchKey()) {
      parameters.add(new PreparedRowStatement.Source(fromOld, column));
    }
    if (!relation.wholeRow()) {
      return conditions(" = ?");
    }
    // One row per change, even among duplicates; an index serves if there is one.
    return "_ROWID_ = (SELECT _ROWID_ FROM "
        + relation.sqlName()
        + " WHERE "
        + conditions(" IS NOT DISTINCT FROM ?")
        + " FETCH FIRST ROW ONLY)";
  }

  private String conditions(String comparison) {
    List<String> terms = new ArrayList<>();
    for (int column : relation.searchKey()) {
      terms.add(relation.sqlName(column) + comparison);
    }
    return String.join(" AND ", terms);
  }

  private RowStatement prepared(
      MessageType operation, String sql, List<PreparedRowStatement.Source> parameters)
      throws SQLException {
    return new PreparedRowStatement(
        relation, operation, connection.prepareStatement(sql), parameters);
  }

  @Override
  public void close() throws SQLException {
    for (RowStatement statement : updates.values()) {
      statement.close();
    }
    for (RowStatement statement : new RowStatement[] {insert, plainUpdate, delete}) {
      if (statement != null) {
        statement.close();
      }
    }
  }
}
