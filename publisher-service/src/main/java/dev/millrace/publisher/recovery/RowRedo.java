package dev.millrace.publisher.recovery;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.Identifiers;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.PgText;
import dev.millrace.model.PgType;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.wal.WalRecordType;
import dev.millrace.sql.H2Errors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Applies change records to H2, each to exactly one row. The row of an UPDATE or DELETE is found by
 * the locator where the record has one, else by the old key, else by the new one. One thread;
 * inside the caller's transaction.
 */
final class RowRedo implements AutoCloseable {

  private static final String RID = "$rid";

  private final Connection connection;
  private final RelationVersions catalog;
  private final Map<String, PreparedStatement> statements = new HashMap<>();

  /** By definition, since building the text of each row's statement would cost more than redo. */
  private final Map<RelationDefinition, String> inserts = new IdentityHashMap<>();

  private final TupleReader oldTuple = new TupleReader();
  private final TupleReader locator = new TupleReader();
  private final TupleReader newTuple = new TupleReader();
  private char oldKind;
  private boolean hasLocator;
  private RelationDefinition relation;
  private long lsn;

  /** Finds the definition a record was written by. */
  @FunctionalInterface
  interface RelationVersions {
    RelationDefinition relation(int oid, int version);
  }

  RowRedo(Connection connection, RelationVersions catalog) {
    this.connection = connection;
    this.catalog = catalog;
  }

  /** Applies one record; its LSN is for the error message. */
  void redo(long recordLsn, WalRecordType type, byte[] buffer, int offset, int length) {
    try {
      apply(recordLsn, type, buffer, offset, length);
    } catch (SQLException e) {
      throw H2Errors.translate(e).withContext("redo at " + Lsn.format(recordLsn));
    }
  }

  private void apply(long recordLsn, WalRecordType type, byte[] buffer, int offset, int length)
      throws SQLException {
    lsn = recordLsn;
    switch (type) {
      case INSERT -> {
        read(buffer, offset, length);
        insert();
      }
      case UPDATE -> {
        read(buffer, offset, length);
        update();
      }
      case DELETE -> {
        read(buffer, offset, length);
        delete();
      }
      case TRUNCATE -> truncate(buffer, offset);
      default -> {
        // Messages, catalogue records and the like change no rows.
      }
    }
  }

  private void read(byte[] buffer, int offset, int length) {
    relation =
        catalog.relation(
            TupleReader.getInt(buffer, offset), TupleReader.getInt(buffer, offset + 4));
    oldKind = 0;
    hasLocator = false;
    int at = offset + 8;
    while (at < offset + length) {
      char kind = (char) buffer[at];
      switch (kind) {
        case 'K', 'O' -> {
          oldKind = kind;
          at = oldTuple.open(buffer, at + 1);
        }
        case 'L' -> {
          hasLocator = true;
          at = locator.open(buffer, at + 1);
        }
        case 'N' -> at = newTuple.open(buffer, at + 1);
        default ->
            throw new PgException(
                SqlState.DATA_CORRUPTED,
                "unknown tuple kind " + (int) kind + " in the log record at " + Lsn.format(lsn));
      }
    }
  }

  private void insert() throws SQLException {
    List<Object> values = new ArrayList<>(relation.columns().size() + 1);
    for (int i = 0; i < relation.columns().size(); i++) {
      ColumnDefinition column = relation.columns().get(i);
      if (!column.isGenerated()) {
        values.add(value(newTuple, i, column.valueOid()));
      }
    }
    if (hasLocator) {
      values.add(value(locator, 0, PgType.INT8));
    }
    String sql = inserts.get(relation);
    if (sql == null) {
      sql = insertSql();
      inserts.put(relation, sql);
    }
    applyToOneRow(sql, values);
  }

  private String insertSql() {
    StringBuilder names = new StringBuilder();
    StringBuilder marks = new StringBuilder();
    for (ColumnDefinition column : relation.columns()) {
      if (!column.isGenerated()) {
        add(names, marks, column.name());
      }
    }
    if (hasLocator) {
      add(names, marks, RID);
    }
    return "INSERT INTO "
        + table(relation.name())
        + " ("
        + names
        + ") OVERRIDING SYSTEM VALUE VALUES ("
        + marks
        + ')';
  }

  private static void add(StringBuilder names, StringBuilder marks, String name) {
    if (names.length() > 0) {
      names.append(", ");
      marks.append(", ");
    }
    names.append(Identifiers.alwaysQuote(name));
    marks.append('?');
  }

  private void update() throws SQLException {
    StringBuilder sql = new StringBuilder("UPDATE ").append(table(relation.name())).append(" SET ");
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < relation.columns().size(); i++) {
      ColumnDefinition column = relation.columns().get(i);
      if (!column.isGenerated() && newTuple.kind(i) != TupleReader.UNCHANGED) {
        sql.append(values.isEmpty() ? "" : ", ");
        sql.append(Identifiers.alwaysQuote(column.name())).append(" = ?");
        values.add(value(newTuple, i, column.valueOid()));
      }
    }
    if (values.isEmpty()) {
      return; // Nothing but large unchanged values: the row is as it was.
    }
    where(sql, values);
    applyToOneRow(sql.toString(), values);
  }

  private void delete() throws SQLException {
    StringBuilder sql = new StringBuilder("DELETE FROM ").append(table(relation.name()));
    List<Object> values = new ArrayList<>();
    where(sql, values);
    applyToOneRow(sql.toString(), values);
  }

  private void where(StringBuilder sql, List<Object> values) {
    sql.append(" WHERE ");
    IndexDefinition key = relation.primaryKey();
    if (key == null) {
      sql.append(Identifiers.alwaysQuote(RID)).append(" = ?");
      values.add(value(locator, 0, PgType.INT8));
      return;
    }
    TupleReader whole = oldKind != 0 ? oldTuple : newTuple;
    for (int k = 0; k < key.attnums().size(); k++) {
      int position = position(key.attnums().get(k));
      ColumnDefinition column = relation.columns().get(position);
      sql.append(k == 0 ? "" : " AND ")
          .append(Identifiers.alwaysQuote(column.name()))
          .append(" = ?");
      values.add(
          hasLocator
              ? value(locator, k, column.valueOid())
              : value(whole, position, column.valueOid()));
    }
  }

  private int position(int attnum) {
    for (int i = 0; i < relation.columns().size(); i++) {
      if (relation.columns().get(i).attnum() == attnum) {
        return i;
      }
    }
    throw new PgException(
        SqlState.DATA_CORRUPTED, "key of " + relation.name() + " names no column " + attnum);
  }

  private static Object value(TupleReader tuple, int column, int typeOid) {
    return tuple.kind(column) == TupleReader.NULL
        ? null
        : PgText.parse(tuple.buffer(), tuple.textOffset(column), tuple.textLength(column), typeOid);
  }

  private void truncate(byte[] buffer, int offset) throws SQLException {
    int count = TupleReader.getInt(buffer, offset);
    for (int i = 0; i < count; i++) {
      RelationDefinition truncated =
          catalog.relation(
              TupleReader.getInt(buffer, offset + 4 + 8 * i),
              TupleReader.getInt(buffer, offset + 8 + 8 * i));
      prepared("DELETE FROM " + table(truncated.name())).executeUpdate();
    }
  }

  private void applyToOneRow(String sql, List<Object> values) throws SQLException {
    PreparedStatement statement = prepared(sql);
    for (int i = 0; i < values.size(); i++) {
      statement.setObject(i + 1, values.get(i));
    }
    int rows = statement.executeUpdate();
    if (rows != 1) {
      throw new PgException(
              SqlState.DATA_CORRUPTED,
              "redo at "
                  + Lsn.format(lsn)
                  + " changed "
                  + rows
                  + " rows of "
                  + relation.name()
                  + " instead of one")
          .withDetail("Statement: " + sql + "; values: " + values + '.');
    }
  }

  private PreparedStatement prepared(String sql) throws SQLException {
    PreparedStatement statement = statements.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(sql);
      statements.put(sql, statement);
    }
    return statement;
  }

  private static String table(QualifiedName name) {
    return Identifiers.alwaysQuote(name.schema()) + '.' + Identifiers.alwaysQuote(name.name());
  }

  @Override
  public void close() throws SQLException {
    for (PreparedStatement statement : statements.values()) {
      statement.close();
    }
  }
}
