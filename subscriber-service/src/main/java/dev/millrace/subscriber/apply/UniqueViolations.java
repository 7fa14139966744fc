package dev.millrace.subscriber.apply;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.Identifiers;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.PgText;
import dev.millrace.model.PgType;
import dev.millrace.pgoutput.TupleData;
import dev.millrace.subscriber.conflict.RowText;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds out which unique indexes a refused row violates and which local rows are in its way. Used
 * after an error, so it need not be fast.
 */
final class UniqueViolations {

  /** One violated index. */
  record Violation(String indexName, String key, String localRow) {}

  private final Connection connection;
  private final TargetRelation relation;

  UniqueViolations(Connection connection, TargetRelation relation) {
    this.connection = connection;
    this.relation = relation;
  }

  /**
   * @param identity what finds the row being updated, which is not in its own way; null for INSERT
   */
  List<Violation> find(TupleData identity, TupleData row) throws SQLException {
    List<Violation> violations = new ArrayList<>();
    for (IndexDefinition index : relation.local().indexes()) {
      int[] columns = relation.remoteColumns(index);
      if ((index.unique() || index.primary()) && hasValues(columns, row)) {
        String localRow = localRow(columns, identity, row);
        if (localRow != null) {
          violations.add(new Violation(index.name(), relation.describeKey(columns, row), localRow));
        }
      }
    }
    return violations;
  }

  private static boolean hasValues(int[] columns, TupleData row) {
    for (int column : columns) {
      if (column < 0 || !row.hasValue(column)) {
        return false;
      }
    }
    return true;
  }

  /** The row with these values, or null. */
  private String localRow(int[] columns, TupleData identity, TupleData row) throws SQLException {
    StringBuilder sql = new StringBuilder("SELECT ");
    List<ColumnDefinition> shown = relation.local().columns();
    for (int i = 0; i < shown.size(); i++) {
      sql.append(i == 0 ? "" : ", ");
      sql.append(Identifiers.alwaysQuote(shown.get(i).name()));
    }
    sql.append(" FROM ").append(relation.sqlName()).append(" WHERE ");
    sql.append(conditions(columns, " = ?"));
    if (identity != null) {
      sql.append(" AND NOT (");
      sql.append(conditions(relation.searchKey(), " IS NOT DISTINCT FROM ?")).append(')');
    }
    try (PreparedStatement query = connection.prepareStatement(sql.toString())) {
      int parameter = bind(query, 1, columns, row);
      if (identity != null) {
        bind(query, parameter, relation.searchKey(), identity);
      }
      try (ResultSet found = query.executeQuery()) {
        return found.next() ? describe(found, shown) : null;
      }
    }
  }

  private String conditions(int[] columns, String comparison) {
    StringBuilder terms = new StringBuilder();
    for (int column : columns) {
      terms.append(terms.length() == 0 ? "" : " AND ");
      terms.append(relation.sqlName(column)).append(comparison);
    }
    return terms.toString();
  }

  private int bind(PreparedStatement query, int parameter, int[] columns, TupleData row)
      throws SQLException {
    for (int column : columns) {
      PreparedRowStatement.bind(
          query, parameter++, row, column, relation.column(column).valueOid(), relation);
    }
    return parameter;
  }

  private static String describe(ResultSet row, List<ColumnDefinition> columns)
      throws SQLException {
    RowText text = new RowText();
    for (int i = 0; i < columns.size(); i++) {
      ColumnDefinition column = columns.get(i);
      Object value = value(row, i + 1, column.valueOid());
      text.add(
          value == null ? null : PgText.format(value, column.valueOid(), column.valueModifier()));
    }
    return text.toString();
  }

  /** JDBC's own date classes know no zone and no microseconds. */
  static Object value(ResultSet row, int column, int typeOid) throws SQLException {
    switch (typeOid) {
      case PgType.DATE:
        return row.getObject(column, LocalDate.class);
      case PgType.TIME:
        return row.getObject(column, LocalTime.class);
      case PgType.TIMETZ:
        return row.getObject(column, OffsetTime.class);
      case PgType.TIMESTAMP:
        return row.getObject(column, LocalDateTime.class);
      case PgType.TIMESTAMPTZ:
        return row.getObject(column, OffsetDateTime.class);
      default:
        return row.getObject(column);
    }
  }
}
