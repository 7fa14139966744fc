package dev.millrace.sql;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import org.h2.tools.SimpleResultSet;
import org.h2.value.Value;
import org.h2.value.ValueArray;
import org.h2.value.ValueNull;
import org.h2.value.ValueToObjectConverter;

/** Values on their way between H2 and the bodies of views and functions, by PostgreSQL's types. */
final class SystemValues {

  private SystemValues() {}

  static Object[] arguments(List<SystemFunction.Parameter> parameters, Value[] values) {
    Object[] arguments = new Object[parameters.size()];
    for (int i = 0; i < arguments.length; i++) {
      SystemFunction.Parameter parameter = parameters.get(i);
      if (i >= values.length) {
        arguments[i] = parameter.variadic() ? new String[0] : parameter.defaultValue();
      } else if (parameter.variadic()) {
        arguments[i] = strings(values, i);
      } else {
        arguments[i] = argument(values[i], parameter.type());
      }
    }
    return arguments;
  }

  /** The rest of the arguments, or one array that holds them. */
  private static String[] strings(Value[] values, int from) {
    Value[] elements =
        values.length == from + 1 && values[from] instanceof ValueArray
            ? ((ValueArray) values[from]).getList()
            : Arrays.copyOfRange(values, from, values.length);
    String[] strings = new String[elements.length];
    for (int i = 0; i < strings.length; i++) {
      strings[i] = elements[i].getString();
    }
    return strings;
  }

  private static Object argument(Value value, String type) {
    if (type.equals("any")) {
      return value;
    }
    if (value == ValueNull.INSTANCE) {
      return null;
    }
    switch (type) {
      case "bool":
        return value.getBoolean();
      case "int2":
      case "int4":
        return value.getInt();
      case "int8":
      case "oid":
      case "xid":
        return value.getLong();
      case "float8":
        return value.getDouble();
      case "numeric":
        return value.getBigDecimal();
      case "bytea":
        return value.getBytes();
      case "text or bytea":
        return isBinary(value)
            ? value.getBytes()
            : value.getString().getBytes(StandardCharsets.UTF_8);
      case "timestamptz":
        return ValueToObjectConverter.valueToObject(OffsetDateTime.class, value, null);
      default:
        return value.getString();
    }
  }

  private static boolean isBinary(Value value) {
    int type = value.getValueType();
    return type == Value.VARBINARY || type == Value.BINARY || type == Value.BLOB;
  }

  static ResultSet resultSet(List<ResultColumn> columns, List<Object[]> rows) {
    SimpleResultSet result = new SimpleResultSet();
    result.setAutoClose(false);
    for (ResultColumn column : columns) {
      addColumn(result, column.name(), column.type());
    }
    for (Object[] row : rows) {
      Object[] converted = new Object[row.length];
      for (int i = 0; i < row.length; i++) {
        converted[i] = toResult(row[i], columns.get(i).type());
      }
      result.addRow(converted);
    }
    return result;
  }

  private static void addColumn(SimpleResultSet result, String name, String type) {
    switch (type) {
      case "bool":
        result.addColumn(name, Types.BOOLEAN, 1, 0);
        break;
      case "int2":
      case "int4":
        result.addColumn(name, Types.INTEGER, 32, 0);
        break;
      case "int8":
      case "oid":
      case "xid":
        result.addColumn(name, Types.BIGINT, 64, 0);
        break;
      case "float8":
        result.addColumn(name, Types.DOUBLE, 53, 0);
        break;
      case "numeric":
        result.addColumn(name, Types.DECIMAL, "DECFLOAT", 100, 0);
        break;
      case "timestamptz":
        result.addColumn(name, Types.TIMESTAMP_WITH_TIMEZONE, 32, 6);
        break;
      case "bytea":
        result.addColumn(name, Types.VARBINARY, H2TypeNames.UNLIMITED, 0);
        break;
      default:
        result.addColumn(name, Types.VARCHAR, H2TypeNames.UNLIMITED, 0);
    }
  }

  /**
   * The value as the class H2 expects for the type; everything without a class of its own is text.
   */
  static Object toResult(Object value, String type) {
    if (value == null) {
      return null;
    }
    switch (type) {
      case "bool":
      case "bytea":
        return value;
      case "int2":
      case "int4":
        return ((Number) value).intValue();
      case "int8":
      case "oid":
      case "xid":
        return ((Number) value).longValue();
      case "float8":
        return ((Number) value).doubleValue();
      case "numeric":
        return value instanceof BigDecimal ? value : new BigDecimal(value.toString());
      case "timestamptz":
        return value instanceof Instant ? ((Instant) value).atOffset(ZoneOffset.UTC) : value;
      default:
        return value.toString();
    }
  }
}
