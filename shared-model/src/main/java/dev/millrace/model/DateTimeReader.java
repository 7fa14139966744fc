package dev.millrace.model;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;

/**
 * Reads one date or time in ISO style, byte by byte. Besides what PostgreSQL writes it takes {@code
 * T} between date and time, {@code Z}, times without seconds, and a date alone as a timestamp. What
 * is not ISO style is tried as {@link DateTimeSpelling}.
 */
final class DateTimeReader {

  private static final int[] NANOS = {
    1_000_000_000, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10, 1
  };

  private final byte[] buffer;
  private final int start;
  private final int typeOid;
  private int end;
  private int at;
  private String shown;

  /** Rounding the fraction of the last second of a day leads into the next one. */
  private boolean nextDay;

  DateTimeReader(byte[] buffer, int offset, int length, int typeOid) {
    this.buffer = buffer;
    this.start = offset;
    this.end = offset + length;
    this.at = offset;
    this.typeOid = typeOid;
    skipSpaces();
    while (end > at && IntegerText.isSpace(buffer[end - 1])) {
      end--;
    }
  }

  /**
   * The value as java.time's type for {@code typeOid}, in ISO style or another spelling.
   *
   * @throws PgException 22007, 22008, 22009; 0A000 for infinite values
   */
  static Object read(byte[] buffer, int offset, int length, int typeOid) {
    try {
      return new DateTimeReader(buffer, offset, length, typeOid).value();
    } catch (PgException e) {
      String text = StringText.parse(buffer, offset, length);
      String iso = mayBeSpelling(e) ? DateTimeSpelling.iso(text) : null;
      if (iso == null) {
        throw e;
      }
      byte[] utf8 = iso.getBytes(StandardCharsets.US_ASCII);
      return new DateTimeReader(utf8, 0, utf8.length, typeOid).shownAs(text).value();
    }
  }

  private static boolean mayBeSpelling(PgException e) {
    return e.sqlState().equals(SqlState.INVALID_DATETIME_FORMAT);
  }

  private DateTimeReader shownAs(String text) {
    shown = text;
    return this;
  }

  private Object value() {
    switch (typeOid) {
      case PgType.DATE:
        return date();
      case PgType.TIME:
        return time();
      case PgType.TIMETZ:
        return timeWithZone();
      case PgType.TIMESTAMP:
        return timestamp();
      default:
        return timestampWithZone();
    }
  }

  private LocalDate date() {
    refuseSpecial();
    boolean beforeChrist = takeEra();
    LocalDate date = readDate(beforeChrist);
    if (at < end) {
      // A timestamp is cut to its date, as PostgreSQL does.
      readSeparator();
      readTime();
      readZoneIfAny();
    }
    expectEnd();
    return date;
  }

  private LocalTime time() {
    skipDate();
    LocalTime time = readTime();
    readZoneIfAny();
    expectEnd();
    refuseEndOfDay(nextDay);
    return time;
  }

  private OffsetTime timeWithZone() {
    skipDate();
    LocalTime time = readTime();
    ZoneOffset zone = readZoneIfAny();
    expectEnd();
    refuseEndOfDay(nextDay);
    return OffsetTime.of(time, zone == null ? ZoneOffset.UTC : zone);
  }

  /** Of a timestamp a time is what stands behind the date. */
  private void skipDate() {
    if (end - at > 4 && buffer[at + 4] == '-') {
      readDate(false);
      if (at == end) {
        throw syntax();
      }
      readSeparator();
    }
  }

  private LocalDateTime timestamp() {
    refuseSpecial();
    boolean beforeChrist = takeEra();
    LocalDateTime timestamp = readDateTime(beforeChrist);
    readZoneIfAny();
    expectEnd();
    return timestamp;
  }

  private OffsetDateTime timestampWithZone() {
    refuseSpecial();
    boolean beforeChrist = takeEra();
    LocalDateTime local = readDateTime(beforeChrist);
    ZoneOffset zone = readZoneIfAny();
    expectEnd();
    if (zone == null || zone.getTotalSeconds() == 0) {
      return OffsetDateTime.of(local, ZoneOffset.UTC);
    }
    return OffsetDateTime.of(local, zone).withOffsetSameInstant(ZoneOffset.UTC);
  }

  private LocalDateTime readDateTime(boolean beforeChrist) {
    LocalDate date = readDate(beforeChrist);
    if (at == end) {
      return date.atStartOfDay();
    }
    readSeparator();
    LocalDateTime timestamp = LocalDateTime.of(date, readTime());
    return nextDay ? timestamp.plusDays(1) : timestamp;
  }

  private LocalDate readDate(boolean beforeChrist) {
    int yearDigits = at;
    int year = number(9);
    if (at - yearDigits < 3) {
      // Two digits could be a day or a short year; DateStyle would have to decide.
      throw syntax();
    }
    expect('-');
    int month = number(2);
    expect('-');
    int day = number(2);
    if (year == 0) {
      throw fieldOverflow();
    }
    try {
      return LocalDate.of(beforeChrist ? 1 - year : year, month, day);
    } catch (DateTimeException error) {
      throw fieldOverflow();
    }
  }

  private LocalTime readTime() {
    int hour = number(2);
    expect(':');
    int minute = number(2);
    int second = 0;
    int nanos = 0;
    if (at < end && buffer[at] == ':') {
      at++;
      second = number(2);
      if (at < end && buffer[at] == '.') {
        at++;
        nanos = fraction();
      }
    }
    refuseEndOfDay(hour == 24 && minute == 0 && second == 0 && nanos == 0);
    try {
      LocalTime time = LocalTime.of(hour, minute, second);
      LocalTime rounded = time.plusNanos(nanos);
      nextDay = rounded.isBefore(time);
      return rounded;
    } catch (DateTimeException error) {
      throw fieldOverflow();
    }
  }

  private static void refuseEndOfDay(boolean endOfDay) {
    if (endOfDay) {
      throw new PgException(SqlState.FEATURE_NOT_SUPPORTED, "time 24:00:00 is not supported");
    }
  }

  /** Microseconds, rounded where more digits are given, in nanoseconds. */
  private int fraction() {
    int from = at;
    int value = 0;
    while (at < end && buffer[at] >= '0' && buffer[at] <= '9') {
      if (at - from < 9) {
        value = value * 10 + buffer[at] - '0';
      }
      at++;
    }
    int digits = Math.min(at - from, 9);
    long nanos = (long) value * NANOS[digits];
    return (int) ((nanos + 500) / 1000 * 1000);
  }

  /** {@code Z}, {@code UTC}, {@code +02}, {@code +05:30}, {@code +0530}, {@code +00:19:32}. */
  private ZoneOffset readZoneIfAny() {
    skipSpaces();
    if (at == end) {
      return null;
    }
    byte sign = buffer[at];
    if (sign == 'Z' || sign == 'z') {
      at++;
      return ZoneOffset.UTC;
    }
    if (end - at == 3 && StringText.parse(buffer, at, 3).equalsIgnoreCase("utc")) {
      at = end;
      return ZoneOffset.UTC;
    }
    if (sign != '+' && sign != '-') {
      throw syntax();
    }
    at++;
    int hours = number(2);
    int minutes = 0;
    int seconds = 0;
    if (at < end && buffer[at] == ':') {
      at++;
      minutes = number(2);
      if (at < end && buffer[at] == ':') {
        at++;
        seconds = number(2);
      }
    } else if (at < end) {
      minutes = number(2);
    }
    int total = hours * 3600 + minutes * 60 + seconds;
    if (hours > 15 || minutes > 59 || seconds > 59) {
      throw new PgException(
          "22009",
          "time zone displacement out of range: \""
              + StringText.parse(buffer, start, end - start)
              + "\"");
    }
    return ZoneOffset.ofTotalSeconds(sign == '-' ? -total : total);
  }

  /** Cuts {@code BC} or {@code AD} off the end; tells whether it was BC. */
  private boolean takeEra() {
    if (end - at < 3 || !IntegerText.isSpace(buffer[end - 3])) {
      return false;
    }
    String last = StringText.parse(buffer, end - 2, 2);
    boolean beforeChrist = last.equalsIgnoreCase("bc");
    if (beforeChrist || last.equalsIgnoreCase("ad")) {
      end -= 3;
    }
    return beforeChrist;
  }

  private void refuseSpecial() {
    if (at < end && (buffer[at] == '-' || Character.isLetter(buffer[at]))) {
      String word = StringText.parse(buffer, at, end - at);
      if (word.equalsIgnoreCase("infinity") || word.equalsIgnoreCase("-infinity")) {
        throw new PgException(
            SqlState.FEATURE_NOT_SUPPORTED, "infinite dates and timestamps are not supported");
      }
    }
  }

  private void readSeparator() {
    if (buffer[at] != 'T' && buffer[at] != 't' && !IntegerText.isSpace(buffer[at])) {
      throw syntax();
    }
    at++;
    skipSpaces();
  }

  private int number(int maxDigits) {
    int from = at;
    int value = 0;
    while (at < end && at - from < maxDigits && buffer[at] >= '0' && buffer[at] <= '9') {
      value = value * 10 + buffer[at] - '0';
      at++;
    }
    if (at == from) {
      throw syntax();
    }
    return value;
  }

  private void expect(char c) {
    if (at >= end || buffer[at] != c) {
      throw syntax();
    }
    at++;
  }

  private void expectEnd() {
    if (at < end) {
      throw syntax();
    }
  }

  private void skipSpaces() {
    while (at < end && IntegerText.isSpace(buffer[at])) {
      at++;
    }
  }

  private String text() {
    return shown != null ? shown : StringText.parse(buffer, start, Math.max(end, at) - start);
  }

  private PgException syntax() {
    return new PgException(
        SqlState.INVALID_DATETIME_FORMAT,
        "invalid input syntax for type "
            + PgType.byOid(typeOid).sqlName()
            + ": \""
            + text()
            + "\"");
  }

  private PgException fieldOverflow() {
    return new PgException(
        SqlState.DATETIME_FIELD_OVERFLOW, "date/time field value out of range: \"" + text() + "\"");
  }
}
