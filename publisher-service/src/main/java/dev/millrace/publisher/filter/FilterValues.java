package dev.millrace.publisher.filter;

import dev.millrace.model.PgText;
import dev.millrace.model.PgType;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.UUID;
import org.h2.util.JSR310Utils;
import org.h2.value.TypeInfo;
import org.h2.value.Value;
import org.h2.value.ValueBigint;
import org.h2.value.ValueBoolean;
import org.h2.value.ValueDecfloat;
import org.h2.value.ValueDouble;
import org.h2.value.ValueInteger;
import org.h2.value.ValueReal;
import org.h2.value.ValueSmallint;
import org.h2.value.ValueUuid;
import org.h2.value.ValueVarbinary;
import org.h2.value.ValueVarchar;

/**
 * How values of one PostgreSQL type become H2's. What H2 has no type for is compared by its text.
 *
 * @param typeOid PostgreSQL's type
 * @param type the H2 type that stands for it in expressions
 */
record FilterValues(int typeOid, TypeInfo type) {

  static FilterValues of(int typeOid) {
    return new FilterValues(typeOid, h2Type(typeOid));
  }

  private static TypeInfo h2Type(int typeOid) {
    switch (typeOid) {
      case PgType.BOOL:
        return TypeInfo.TYPE_BOOLEAN;
      case PgType.INT2:
        return TypeInfo.TYPE_SMALLINT;
      case PgType.INT4:
        return TypeInfo.TYPE_INTEGER;
      case PgType.INT8, PgType.OID, PgType.XID:
        return TypeInfo.TYPE_BIGINT;
      case PgType.FLOAT4:
        return TypeInfo.TYPE_REAL;
      case PgType.FLOAT8:
        return TypeInfo.TYPE_DOUBLE;
      case PgType.NUMERIC:
        return TypeInfo.TYPE_DECFLOAT;
      case PgType.BYTEA:
        return TypeInfo.TYPE_VARBINARY;
      case PgType.DATE:
        return TypeInfo.TYPE_DATE;
      case PgType.TIME:
        return TypeInfo.TYPE_TIME;
      case PgType.TIMETZ:
        return TypeInfo.TYPE_TIME_TZ;
      case PgType.TIMESTAMP:
        return TypeInfo.TYPE_TIMESTAMP;
      case PgType.TIMESTAMPTZ:
        return TypeInfo.TYPE_TIMESTAMP_TZ;
      case PgType.UUID:
        return TypeInfo.TYPE_UUID;
      default:
        return TypeInfo.TYPE_VARCHAR;
    }
  }

  Value read(byte[] buffer, int offset, int length) {
    if (type == TypeInfo.TYPE_VARCHAR) {
      return ValueVarchar.get(text(buffer, offset, length));
    }
    Object value = PgText.parse(buffer, offset, length, typeOid);
    switch (type.getValueType()) {
      case Value.BOOLEAN:
        return ValueBoolean.get((Boolean) value);
      case Value.SMALLINT:
        return ValueSmallint.get(((Number) value).shortValue());
      case Value.INTEGER:
        return ValueInteger.get(((Number) value).intValue());
      case Value.BIGINT:
        return ValueBigint.get(((Number) value).longValue());
      case Value.REAL:
        return ValueReal.get(((Number) value).floatValue());
      case Value.DOUBLE:
        return ValueDouble.get(((Number) value).doubleValue());
      case Value.DECFLOAT:
        return value instanceof java.math.BigDecimal number
            ? ValueDecfloat.get(number)
            : ValueVarchar.get(value.toString()).convertTo(Value.DECFLOAT);
      case Value.VARBINARY:
        return ValueVarbinary.getNoCopy((byte[]) value);
      case Value.DATE:
        return JSR310Utils.localDateToValue((LocalDate) value);
      case Value.TIME:
        return JSR310Utils.localTimeToValue((LocalTime) value);
      case Value.TIME_TZ:
        return JSR310Utils.offsetTimeToValue((OffsetTime) value);
      case Value.TIMESTAMP:
        return JSR310Utils.localDateTimeToValue((LocalDateTime) value);
      case Value.TIMESTAMP_TZ:
        return JSR310Utils.offsetDateTimeToValue((OffsetDateTime) value);
      default:
        return ValueUuid.get((UUID) value);
    }
  }

  /** Trailing blanks of char(n) do not count when values are compared. */
  private String text(byte[] buffer, int offset, int length) {
    int end = offset + length;
    if (typeOid == PgType.BPCHAR) {
      while (end > offset && buffer[end - 1] == ' ') {
        end--;
      }
    }
    return new String(buffer, offset, end - offset, StandardCharsets.UTF_8);
  }
}
