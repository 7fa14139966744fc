package dev.millrace.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

@DisplayName("Values in PostgreSQL's text output format")
class PgTextTest {

  @ParameterizedTest(name = "type {0} modifier {1}: {2}")
  @MethodSource("postgresTexts")
  @DisplayName("what PostgreSQL 18 sent is read and written again byte for byte")
  void roundTrip(int typeOid, int typeModifier, String text) {
    Object value = PgText.parse(text, typeOid);
    assertThat(PgText.format(value, typeOid, typeModifier)).isEqualTo(text);
  }

  static List<Arguments> postgresTexts() throws Exception {
    try (InputStream in = PgTextTest.class.getResourceAsStream("/types/text-output.json")) {
      List<Arguments> cases = new ArrayList<>();
      for (JsonNode row : new ObjectMapper().readTree(in)) {
        cases.add(
            Arguments.of(row.get(0).intValue(), row.get(1).intValue(), row.get(2).asString()));
      }
      assertThat(cases).hasSizeGreaterThan(100);
      return cases;
    }
  }

  @ParameterizedTest(name = "{0} is {1}")
  @CsvSource({
    "0.0, 0",
    "-0.0, -0",
    "100000.0, 100000",
    "999999999999999.0, 999999999999999",
    "1000000000000000.0, 1e+15",
    "123456789012345.6, 123456789012345.6",
    "0.0001, 0.0001",
    "0.00001, 1e-05",
    "0.000012345, 1.2345e-05",
    "2.0E22, 2e+22",
    "9.999999999999999E22, 1e+23",
    "4.9E-324, 5e-324",
    "9.9E-324, 1e-323",
    "1.5E-323, 1.5e-323",
    "0.3, 0.3",
    "0.30000000000000004, 0.30000000000000004",
    "-1234.5, -1234.5",
    "1.7976931348623157E308, 1.7976931348623157e+308"
  })
  @DisplayName("double precision has the shortest digits in PostgreSQL's notation")
  void doubles(double value, String text) {
    assertThat(PgText.format(value, PgType.FLOAT8, -1)).isEqualTo(text);
  }

  @ParameterizedTest(name = "{0} is {1}")
  @CsvSource({
    "100000, 100000",
    "999999, 999999",
    "1000000, 1e+06",
    "1234567, 1.234567e+06",
    "123456.79, 123456.79",
    "0.1, 0.1",
    "1.4E-45, 1e-45",
    "2.8E-45, 3e-45",
    "3.4028235E38, 3.4028235e+38"
  })
  @DisplayName("real has the shortest digits in PostgreSQL's notation")
  void reals(float value, String text) {
    assertThat(PgText.format(value, PgType.FLOAT4, -1)).isEqualTo(text);
  }

  @Test
  @DisplayName("random numbers of every kind survive writing and reading")
  void randomNumbers() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 50_000; i++) {
      int digits = random.nextInt(64);
      long number = random.nextLong() >> digits;
      double real = Double.longBitsToDouble(random.nextLong());
      float single = Float.intBitsToFloat(random.nextInt());
      BigDecimal decimal = BigDecimal.valueOf(number, random.nextInt(25));
      assertThat(PgText.format(number, PgType.INT8, -1))
          .as("seed %d", seed)
          .isEqualTo(Long.toString(number));
      assertSame(seed, number, PgType.INT8);
      assertSame(seed, decimal, PgType.NUMERIC);
      assertThat(PgText.format(decimal, PgType.NUMERIC, -1)).isEqualTo(decimal.toPlainString());
      if (!Double.isNaN(real)) {
        assertSame(seed, real, PgType.FLOAT8);
      }
      if (!Float.isNaN(single)) {
        assertSame(seed, single, PgType.FLOAT4);
      }
    }
  }

  @Test
  @DisplayName("random dates and times survive writing and reading")
  void randomTimes() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      LocalDate date = LocalDate.ofEpochDay(random.nextInt(6_000_000) - 3_000_000);
      LocalTime time = LocalTime.ofNanoOfDay(random.nextLong(86_400_000_000L) * 1000);
      ZoneOffset offset = ZoneOffset.ofTotalSeconds(random.nextInt(2 * 57_599) - 57_599);
      LocalDateTime timestamp = LocalDateTime.of(date, time);
      assertSame(seed, date, PgType.DATE);
      assertSame(seed, time, PgType.TIME);
      assertSame(seed, OffsetTime.of(time, offset), PgType.TIMETZ);
      assertSame(seed, timestamp, PgType.TIMESTAMP);
      OffsetDateTime instant = OffsetDateTime.of(timestamp, offset);
      String text = PgText.format(instant, PgType.TIMESTAMPTZ, -1);
      assertThat(((OffsetDateTime) PgText.parse(text, PgType.TIMESTAMPTZ)).toInstant())
          .as("seed %d", seed)
          .isEqualTo(instant.toInstant());
    }
  }

  private static void assertSame(long seed, Object value, int typeOid) {
    String text = PgText.format(value, typeOid, -1);
    assertThat(PgText.parse(text, typeOid)).as("seed %d: %s", seed, text).isEqualTo(value);
  }

  @Test
  @DisplayName("a numeric takes the scale of its column")
  void numericScale() {
    int twoDigits = TypeModifier.ofNumeric(10, 2);
    assertThat(PgText.format(new BigDecimal("1E+3"), PgType.NUMERIC, -1)).isEqualTo("1000");
    assertThat(PgText.format(new BigDecimal("1.5"), PgType.NUMERIC, twoDigits)).isEqualTo("1.50");
    assertThat(PgText.format(new BigDecimal("-0.005"), PgType.NUMERIC, twoDigits))
        .isEqualTo("-0.01");
    assertThat(PgText.format(new BigDecimal("0E+5"), PgType.NUMERIC, -1)).isEqualTo("0");
  }

  @Test
  @DisplayName("char(n) is padded by characters, not by bytes or UTF-16 units")
  void padding() {
    int five = TypeModifier.ofLength(5);
    assertThat(PgText.format("ab", PgType.BPCHAR, five)).isEqualTo("ab   ");
    assertThat(PgText.format("\uD83D\uDE00", PgType.BPCHAR, five)).isEqualTo("\uD83D\uDE00    ");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "2026-05-13 22:03:45.423627+00, 2026-05-13 22:03:45.423627+00",
    "2026-05-13 22:03:45.4+05:30, 2026-05-13 16:33:45.4+00",
    "1890-01-01 00:00:00+00:19:32, 1889-12-31 23:40:28+00",
    "2026-05-13T22:03:45Z, 2026-05-13 22:03:45+00",
    "2026-05-13 22:03, 2026-05-13 22:03:00+00",
    "2026-05-13, 2026-05-13 00:00:00+00",
    "2026-12-31 23:59:59.9999996+00, 2027-01-01 00:00:00+00"
  })
  @DisplayName("timestamptz is read with any offset and written in UTC")
  void timestampWithZone(String text, String normalised) {
    Object value = PgText.parse(text, PgType.TIMESTAMPTZ);
    assertThat(PgText.format(value, PgType.TIMESTAMPTZ, -1)).isEqualTo(normalised);
  }

  @ParameterizedTest(name = "type {0}: {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "23|x|22P02|invalid input syntax for type integer: \"x\"",
        "23|''|22P02|invalid input syntax for type integer: \"\"",
        "23|2147483648|22003|value \"2147483648\" is out of range for type integer",
        "21|-32769|22003|value \"-32769\" is out of range for type smallint",
        "20|9223372036854775808|22003"
            + "|value \"9223372036854775808\" is out of range for type bigint",
        "26|-1|22003|value \"-1\" is out of range for type oid",
        "16|maybe|22P02|invalid input syntax for type boolean: \"maybe\"",
        "701|1e400|22003|\"1e400\" is out of range for type double precision",
        "701|0x1p3|22P02|invalid input syntax for type double precision: \"0x1p3\"",
        "701|1d|22P02|invalid input syntax for type double precision: \"1d\"",
        "700|1e-60|22003|\"1e-60\" is out of range for type real",
        "1700|1.2.3|22P02|invalid input syntax for type numeric: \"1.2.3\"",
        "1082|2024-02-30|22008|date/time field value out of range: \"2024-02-30\"",
        "1082|yesterday-ish|22007|invalid input syntax for type date: \"yesterday-ish\"",
        "1083|24:00:00|0A000|time 24:00:00 is not supported",
        "1114|infinity|0A000|infinite dates and timestamps are not supported",
        "2950|123|22P02|invalid input syntax for type uuid: \"123\"",
        "17|\\xabc|22023|invalid hexadecimal data: odd number of digits",
        "17|\\xgg|22023|invalid hexadecimal digit: \"g\"",
        "3220|12|22P02|invalid input syntax for type pg_lsn: \"12\""
      })
  @DisplayName("what is no value of the type is refused in PostgreSQL's words")
  void refused(int typeOid, String text, String sqlState, String message) {
    assertThatThrownBy(() -> PgText.parse(text, typeOid))
        .isInstanceOfSatisfying(
            PgException.class,
            error -> {
              assertThat(error.sqlState()).isEqualTo(sqlState);
              assertThat(error).hasMessage(message);
            });
  }

  @Test
  @DisplayName("JSON answers hold integers, booleans and null natively and everything else as text")
  void json() {
    assertThat(PgText.toJson(null, PgType.TEXT, -1)).isNull();
    assertThat(PgText.toJson(true, PgType.BOOL, -1)).isEqualTo(true);
    assertThat(PgText.toJson(7, PgType.INT2, -1)).isEqualTo(7);
    assertThat(PgText.toJson((1L << 53) - 1, PgType.INT8, -1)).isEqualTo((1L << 53) - 1);
    assertThat(PgText.toJson(1L << 53, PgType.INT8, -1)).isEqualTo("9007199254740992");
    assertThat(PgText.toJson(1.5, PgType.FLOAT8, -1)).isEqualTo("1.5");
    assertThat(PgText.toJson(new byte[] {1, (byte) 0xff}, PgType.BYTEA, -1)).isEqualTo("\\x01ff");
  }

  @Test
  @DisplayName("the other spellings PostgreSQL reads are read")
  void otherSpellings() {
    UUID uuid = UUID.fromString("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11");
    assertThat(PgText.parse("{A0EEBC999C0B4EF8BB6D6BB9BD380A11}", PgType.UUID)).isEqualTo(uuid);
    assertThat(PgText.parse(" On ", PgType.BOOL)).isEqualTo(true);
    assertThat(PgText.parse("tr", PgType.BOOL)).isEqualTo(true);
    assertThat(PgText.parse(" +42 ", PgType.INT4)).isEqualTo(42);
    assertThat(PgText.parse("1e3", PgType.NUMERIC)).isEqualTo(new BigDecimal("1000"));
    assertThat((byte[]) PgText.parse("a\\\\b\\001", PgType.BYTEA))
        .isEqualTo("a\\b\u0001".getBytes(StandardCharsets.UTF_8));
    assertThat(PgText.parse("00a/0ff", PgType.PG_LSN)).isEqualTo("A/FF");
  }
}
