package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.PgText;
import dev.millrace.model.PgType;
import dev.millrace.model.SqlState;
import dev.millrace.model.TypeModifier;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.h2.api.Interval;

/**
 * The columns of one JDBC result and their values as JSON answers show them. The types come from
 * the metadata once; a row is then read without looking at it again.
 */
final class ResultReader {

  private final int[] typeOids;
  private final int[] typeModifiers;
  private final List<ResultColumn> columns = new ArrayList<>();

  ResultReader(Connection connection, ResultSetMetaData metadata) throws SQLException {
    SystemRegistry registry = SystemRegistry.of(connection);
    int count = metadata.getColumnCount();
    typeOids = new int[count];
    typeModifiers = new int[count];
    for (int i = 0; i < count; i++) {
      SystemRegistry.DomainType domain =
          SystemRegistry.domainOf(
              connection,
              metadata.getSchemaName(i + 1),
              metadata.getTableName(i + 1),
              metadata.getColumnName(i + 1));
      boolean known = domain != null && domain.oid() != 0;
      typeOids[i] = known ? domain.oid() : typeOid(registry, metadata, i + 1);
      typeModifiers[i] =
          typeOids[i] == PgType.BPCHAR
              ? TypeModifier.ofLength(metadata.getPrecision(i + 1))
              : TypeModifier.NONE;
      String type = domain == null ? PgType.byOid(typeOids[i]).name() : domain.name();
      columns.add(new ResultColumn(metadata.getColumnLabel(i + 1), type));
    }
  }

  private static int typeOid(SystemRegistry registry, ResultSetMetaData metadata, int column)
      throws SQLException {
    String table = metadata.getTableName(column);
    if (registry != null) {
      PgType declared =
          registry.columnType(
              metadata.getSchemaName(column), table, metadata.getColumnName(column));
      if (declared != null) {
        return declared.oid();
      }
    }
    String h2Name = metadata.getColumnTypeName(column);
    int oid = H2TypeNames.oid(h2Name);
    if (oid == 0) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED, "a result of type " + h2Name + " is not supported");
    }
    boolean limited = metadata.getPrecision(column) < H2TypeNames.UNLIMITED && !table.isEmpty();
    return oid == PgType.VARCHAR && !limited ? PgType.TEXT : oid;
  }

  List<ResultColumn> columns() {
    return columns;
  }

  /** The row the cursor stands on. */
  List<Object> row(ResultSet result) throws SQLException {
    Object[] values = new Object[typeOids.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = value(result, i);
    }
    return Arrays.asList(values);
  }

  private Object value(ResultSet result, int index) throws SQLException {
    int column = index + 1;
    int typeOid = typeOids[index];
    switch (typeOid) {
      case PgType.DATE:
        return json(result.getObject(column, LocalDate.class), index);
      case PgType.TIME:
        return json(result.getObject(column, LocalTime.class), index);
      case PgType.TIMETZ:
        return json(result.getObject(column, OffsetTime.class), index);
      case PgType.TIMESTAMP:
        return json(result.getObject(column, LocalDateTime.class), index);
      case PgType.TIMESTAMPTZ:
        return json(result.getObject(column, OffsetDateTime.class), index);
      case PgType.NUMERIC:
        return json(numeric(result.getString(column)), index);
      case PgType.BYTEA:
        return json(result.getBytes(column), index);
      case PgType.UUID:
        return json(result.getObject(column, UUID.class), index);
      case PgType.BOOL:
      case PgType.INT2:
      case PgType.INT4:
      case PgType.INT8:
      case PgType.OID:
      case PgType.XID:
      case PgType.FLOAT4:
      case PgType.FLOAT8:
        return json(result.getObject(column), index);
      default:
        return other(result, column);
    }
  }

  private Object json(Object value, int index) {
    return PgText.toJson(value, typeOids[index], typeModifiers[index]);
  }

  /** H2 has no BigDecimal for NaN and the infinities, but their text is the same. */
  private static Object numeric(String text) {
    if (text == null) {
      return null;
    }
    char last = text.charAt(text.length() - 1);
    return last >= '0' && last <= '9' ? new BigDecimal(text) : text;
  }

  /** Strings, and what H2 computes that tables hold as text: arrays and intervals. */
  private Object other(ResultSet result, int column) throws SQLException {
    Object value = result.getObject(column);
    if (value instanceof Array) {
      return ArrayFunction.text((Object[]) ((Array) value).getArray());
    }
    if (value instanceof Interval) {
      return IntervalText.format((Interval) value);
    }
    return value == null ? null : json(result.getString(column), column - 1);
  }
}
