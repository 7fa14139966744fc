package dev.millrace.model;

import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.UUID;

/**
 * Values to and from PostgreSQL's text output format (DateStyle ISO, bytea_output hex, TimeZone
 * UTC, extra_float_digits 1).
 *
 * <p>{@link #write} and {@link #parse} are inverse. Both are hot paths: numbers, dates and times go
 * straight between values and ASCII bytes.
 */
public final class PgText {

  /** Integers up to this size are exact in every JSON reader. */
  private static final long MAX_JSON_INTEGER = (1L << 53) - 1;

  private PgText() {}

  /**
   * Appends the text form of a value as H2's JDBC driver and triggers give it (Integer, Long,
   * Short, String, BigDecimal, Boolean, Double, Float, byte[], UUID, LocalDate, LocalTime,
   * OffsetTime, LocalDateTime, OffsetDateTime).
   *
   * @param value not null
   */
  public static void write(Object value, int typeOid, int typeModifier, ByteBuilder out) {
    switch (typeOid) {
      case PgType.INT2:
      case PgType.INT4:
      case PgType.INT8:
      case PgType.OID:
      case PgType.XID:
        IntegerText.write(((Number) value).longValue(), out);
        break;
      case PgType.BOOL:
        out.putByte((Boolean) value ? 't' : 'f');
        break;
      case PgType.FLOAT4:
        FloatText.write(((Number) value).floatValue(), out);
        break;
      case PgType.FLOAT8:
        FloatText.write(((Number) value).doubleValue(), out);
        break;
      case PgType.NUMERIC:
        NumericText.write(value, typeModifier, out);
        break;
      case PgType.BPCHAR:
        StringText.writePadded(value.toString(), typeModifier, out);
        break;
      case PgType.BYTEA:
        ByteaText.write((byte[]) value, out);
        break;
      case PgType.DATE:
        DateTimeText.write((LocalDate) value, out);
        break;
      case PgType.TIME:
        DateTimeText.write((LocalTime) value, out);
        break;
      case PgType.TIMETZ:
        DateTimeText.write((OffsetTime) value, out);
        break;
      case PgType.TIMESTAMP:
        DateTimeText.write((LocalDateTime) value, out);
        break;
      case PgType.TIMESTAMPTZ:
        DateTimeText.write((OffsetDateTime) value, out);
        break;
      case PgType.UUID:
        UuidText.write((UUID) value, out);
        break;
      default:
        StringText.write(value.toString(), out);
    }
  }

  /** The text form as a String, for answers and messages. */
  public static String format(Object value, int typeOid, int typeModifier) {
    ByteBuilder out = new ByteBuilder(32);
    write(value, typeOid, typeModifier, out);
    return new String(out.array(), 0, out.size(), StandardCharsets.UTF_8);
  }

  /**
   * The value of a text form, as JDBC takes it for a parameter of that type.
   *
   * @throws PgException 22P02 (dates and times 22007, 22008; numbers too large 22003) when the text
   *     is no value of the type; 0A000 for the few values that the embedded database cannot hold
   *     (infinite dates, 24:00:00)
   */
  public static Object parse(byte[] buffer, int offset, int length, int typeOid) {
    switch (typeOid) {
      case PgType.INT2:
        return (int) IntegerText.parse(buffer, offset, length, PgType.INT2);
      case PgType.INT4:
        return (int) IntegerText.parse(buffer, offset, length, PgType.INT4);
      case PgType.INT8:
      case PgType.OID:
      case PgType.XID:
        return IntegerText.parse(buffer, offset, length, typeOid);
      case PgType.BOOL:
        return StringText.parseBoolean(buffer, offset, length);
      case PgType.FLOAT4:
        return FloatText.parseFloat(StringText.parse(buffer, offset, length));
      case PgType.FLOAT8:
        return FloatText.parseDouble(StringText.parse(buffer, offset, length));
      case PgType.NUMERIC:
        return NumericText.parse(buffer, offset, length);
      case PgType.BYTEA:
        return ByteaText.parse(buffer, offset, length);
      case PgType.DATE, PgType.TIME, PgType.TIMETZ, PgType.TIMESTAMP, PgType.TIMESTAMPTZ:
        return DateTimeReader.read(buffer, offset, length, typeOid);
      case PgType.UUID:
        return UuidText.parse(buffer, offset, length);
      case PgType.PG_LSN:
        return parseLsn(StringText.parse(buffer, offset, length));
      default:
        return StringText.parse(buffer, offset, length);
    }
  }

  /** {@link #parse(byte[], int, int, int)} of a String. */
  public static Object parse(String text, int typeOid) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    return parse(utf8, 0, utf8.length, typeOid);
  }

  /**
   * The value as JSON answers show it: Integer, Long within +-(2^53-1), Boolean, null, else the
   * text form.
   */
  public static Object toJson(Object value, int typeOid, int typeModifier) {
    if (value == null) {
      return null;
    }
    switch (typeOid) {
      case PgType.BOOL:
        return value;
      case PgType.INT2:
      case PgType.INT4:
        return ((Number) value).intValue();
      case PgType.OID:
      case PgType.XID:
        return ((Number) value).longValue();
      case PgType.INT8:
        long number = ((Number) value).longValue();
        boolean exact = number >= -MAX_JSON_INTEGER && number <= MAX_JSON_INTEGER;
        return exact ? (Object) number : Long.toString(number);
      default:
        return format(value, typeOid, typeModifier);
    }
  }

  static PgException invalidSyntax(int typeOid, String text) {
    PgType type = PgType.byOid(typeOid);
    return new PgException(
        SqlState.INVALID_TEXT_REPRESENTATION,
        "invalid input syntax for type " + type.sqlName() + ": \"" + text + "\"");
  }

  static PgException outOfRange(int typeOid, String text) {
    PgType type = PgType.byOid(typeOid);
    return new PgException(
        SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
        "value \"" + text + "\" is out of range for type " + type.sqlName());
  }

  /** Kept as text in the embedded database, in the one spelling that compares. */
  private static String parseLsn(String text) {
    try {
      return Lsn.parse(text.strip()).toString();
    } catch (PgException error) {
      throw invalidSyntax(PgType.PG_LSN, text);
    }
  }
}
