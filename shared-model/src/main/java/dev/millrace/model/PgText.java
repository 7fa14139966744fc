package dev.millrace.model;

/**
 * Values to and from PostgreSQL's text output format (DateStyle ISO, bytea_output hex, TimeZone
 * UTC, extra_float_digits 1).
 *
 * <p>{@link #write} and {@link #parse} are inverse. Both are hot paths: no String where bytes do.
 */
public final class PgText {

  private PgText() {}

  /**
   * Appends the text form of a value as H2's JDBC driver and triggers give it (Integer, Long,
   * Short, String, BigDecimal, Boolean, Double, Float, byte[], UUID, LocalDate, LocalTime,
   * OffsetTime, LocalDateTime, OffsetDateTime).
   *
   * @param value not null
   */
  public static void write(Object value, int typeOid, int typeModifier, ByteBuilder out) {
    throw new UnsupportedOperationException("types");
  }

  /** The text form as a String, for answers and messages. */
  public static String format(Object value, int typeOid, int typeModifier) {
    throw new UnsupportedOperationException("types");
  }

  /**
   * The value of a text form, as JDBC takes it for a parameter of that type.
   *
   * @throws PgException 22P02 when the text is no value of the type
   */
  public static Object parse(byte[] buffer, int offset, int length, int typeOid) {
    throw new UnsupportedOperationException("types");
  }

  /**
   * The value as JSON answers show it: Integer, Long within +-(2^53-1), Boolean, null, else the
   * text form.
   */
  public static Object toJson(Object value, int typeOid, int typeModifier) {
    throw new UnsupportedOperationException("types");
  }
}
