package dev.millrace.publisher.walsender;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.PgType;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.List;
import java.util.UUID;

/** Reads the values of a result's row in the Java classes that {@code PgText} writes. */
final class CopyRow {

  private final int[] typeOids;

  CopyRow(List<ColumnDefinition> columns) {
    typeOids = columns.stream().mapToInt(ColumnDefinition::typeOid).toArray();
  }

  /**
   * @param index of the column, from 0
   */
  Object value(ResultSet row, int index) throws SQLException {
    int column = index + 1;
    switch (typeOids[index]) {
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
      case PgType.UUID:
        return row.getObject(column, UUID.class);
      case PgType.BYTEA:
        return row.getBytes(column);
      case PgType.NUMERIC:
        return numeric(row.getString(column));
      case PgType.BOOL:
      case PgType.INT2:
      case PgType.INT4:
      case PgType.INT8:
      case PgType.FLOAT4:
      case PgType.FLOAT8:
        return row.getObject(column);
      default:
        return row.getString(column);
    }
  }

  /** There is no BigDecimal for NaN and the infinities, but their text is the same. */
  private static Object numeric(String text) {
    if (text == null) {
      return null;
    }
    char last = text.charAt(text.length() - 1);
    return last >= '0' && last <= '9' ? new BigDecimal(text) : text;
  }
}
