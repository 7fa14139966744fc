package dev.millrace.model;

import java.time.LocalDate;

/**
 * Dates and times in PostgreSQL's binary form: days or microseconds since 2000-01-01, also for
 * years that H2 cannot hold.
 */
final class DateTimeBinary {

  private static final long EPOCH_DAY = LocalDate.of(2000, 1, 1).toEpochDay();
  private static final long MICROS_PER_DAY = 86_400_000_000L;

  private DateTimeBinary() {}

  static void date(String text, ByteBuilder out) {
    switch (text) {
      case "infinity" -> out.putInt(Integer.MAX_VALUE);
      case "-infinity" -> out.putInt(Integer.MIN_VALUE);
      default -> {
        boolean beforeChrist = text.endsWith(" BC");
        out.putInt(Math.toIntExact(day(beforeChrist ? cut(text) : text, beforeChrist)));
      }
    }
  }

  private static String cut(String text) {
    return text.substring(0, text.length() - " BC".length());
  }

  /** The year 1 BC is the year 0. */
  private static long day(String text, boolean beforeChrist) {
    int month = text.indexOf('-');
    int year = Integer.parseInt(text, 0, month, 10);
    return LocalDate.of(
                beforeChrist ? 1 - year : year,
                Integer.parseInt(text, month + 1, month + 3, 10),
                Integer.parseInt(text, month + 4, month + 6, 10))
            .toEpochDay()
        - EPOCH_DAY;
  }

  /** {@code 12:34:56.789} in microseconds. */
  static long micros(String text) {
    long seconds =
        Integer.parseInt(text, 0, 2, 10) * 3600L
            + Integer.parseInt(text, 3, 5, 10) * 60L
            + Integer.parseInt(text, 6, 8, 10);
    long micros = 0;
    for (int i = 9; i < 15; i++) {
      micros = micros * 10 + (i < text.length() ? text.charAt(i) - '0' : 0);
    }
    return seconds * 1_000_000 + micros;
  }

  /** The zone counts seconds to the west. */
  static void timeWithZone(String text, ByteBuilder out) {
    int zone = zone(text, 0);
    out.putLong(micros(text.substring(0, zone))).putInt(-zoneSeconds(text.substring(zone)));
  }

  static void timestamp(String text, ByteBuilder out) {
    switch (text) {
      case "infinity" -> out.putLong(Long.MAX_VALUE);
      case "-infinity" -> out.putLong(Long.MIN_VALUE);
      default -> {
        boolean beforeChrist = text.endsWith(" BC");
        String instant = beforeChrist ? cut(text) : text;
        int space = instant.indexOf(' ');
        int zone = zone(instant, space);
        long offset = zone < instant.length() ? zoneSeconds(instant.substring(zone)) : 0;
        out.putLong(
            day(instant.substring(0, space), beforeChrist) * MICROS_PER_DAY
                + micros(instant.substring(space + 1, zone))
                - offset * 1_000_000);
      }
    }
  }

  /** Where the zone begins behind a time, or the end. */
  private static int zone(String text, int from) {
    for (int i = from + 1; i < text.length(); i++) {
      if (text.charAt(i) == '+' || text.charAt(i) == '-') {
        return i;
      }
    }
    return text.length();
  }

  /** {@code +05:30:15} in seconds. */
  private static int zoneSeconds(String text) {
    int seconds = 0;
    int unit = 3600;
    for (int i = 1; i < text.length(); i += 3) {
      seconds += Integer.parseInt(text, i, i + 2, 10) * unit;
      unit /= 60;
    }
    return text.charAt(0) == '-' ? -seconds : seconds;
  }
}
