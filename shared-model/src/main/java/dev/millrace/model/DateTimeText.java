package dev.millrace.model;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;

/**
 * Dates and times in PostgreSQL's ISO style: {@code 2024-02-29 12:34:56.789+00}, years of four
 * digits or more, {@code BC} behind, the fraction without trailing zeros.
 */
final class DateTimeText {

  private static final int MIN_YEAR_DIGITS = 4;
  private static final int NANOS_PER_MICRO = 1_000;

  private DateTimeText() {}

  static void write(LocalDate date, ByteBuilder out) {
    writeDate(date, out);
    writeEra(date, out);
  }

  static void write(LocalTime time, ByteBuilder out) {
    two(time.getHour(), out);
    out.putByte(':');
    two(time.getMinute(), out);
    out.putByte(':');
    two(time.getSecond(), out);
    int micros = time.getNano() / NANOS_PER_MICRO;
    if (micros != 0) {
      int digits = 6;
      while (micros % 10 == 0) {
        micros /= 10;
        digits--;
      }
      out.putByte('.');
      IntegerText.writeDigits(micros, digits, out);
    }
  }

  static void write(OffsetTime time, ByteBuilder out) {
    write(time.toLocalTime(), out);
    writeOffset(time.getOffset().getTotalSeconds(), out);
  }

  static void write(LocalDateTime timestamp, ByteBuilder out) {
    writeDate(timestamp.toLocalDate(), out);
    out.putByte(' ');
    write(timestamp.toLocalTime(), out);
    writeEra(timestamp.toLocalDate(), out);
  }

  /** Normalised to UTC, the zone every session has. */
  static void write(OffsetDateTime timestamp, ByteBuilder out) {
    LocalDateTime utc =
        timestamp.getOffset().getTotalSeconds() == 0
            ? timestamp.toLocalDateTime()
            : timestamp.withOffsetSameInstant(ZoneOffset.UTC).toLocalDateTime();
    writeDate(utc.toLocalDate(), out);
    out.putByte(' ');
    write(utc.toLocalTime(), out);
    out.putByte('+').putByte('0').putByte('0');
    writeEra(utc.toLocalDate(), out);
  }

  private static void writeDate(LocalDate date, ByteBuilder out) {
    int year = date.getYear();
    // There is no year 0 in PostgreSQL: Java's 0 is 1 BC.
    int shown = year > 0 ? year : 1 - year;
    int digits = Math.max(MIN_YEAR_DIGITS, IntegerText.digitCount(shown));
    IntegerText.writeDigits(shown, digits, out);
    out.putByte('-');
    two(date.getMonthValue(), out);
    out.putByte('-');
    two(date.getDayOfMonth(), out);
  }

  private static void writeEra(LocalDate date, ByteBuilder out) {
    if (date.getYear() <= 0) {
      out.putByte(' ').putByte('B').putByte('C');
    }
  }

  /** Hours, and minutes and seconds only where there are any. */
  private static void writeOffset(int totalSeconds, ByteBuilder out) {
    out.putByte(totalSeconds < 0 ? '-' : '+');
    int magnitude = Math.abs(totalSeconds);
    two(magnitude / 3600, out);
    int minutes = magnitude / 60 % 60;
    int seconds = magnitude % 60;
    if (minutes != 0 || seconds != 0) {
      out.putByte(':');
      two(minutes, out);
    }
    if (seconds != 0) {
      out.putByte(':');
      two(seconds, out);
    }
  }

  private static void two(int value, ByteBuilder out) {
    IntegerText.writeDigits(value, 2, out);
  }
}
