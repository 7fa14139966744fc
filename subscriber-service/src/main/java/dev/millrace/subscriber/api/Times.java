package dev.millrace.subscriber.api;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

/** Times as answers and views show them: microseconds, UTC; null stays null. */
final class Times {

  private Times() {}

  static Instant micros(Instant time) {
    return time == null ? null : time.truncatedTo(ChronoUnit.MICROS);
  }

  static OffsetDateTime utc(Instant time) {
    return time == null ? null : micros(time).atOffset(ZoneOffset.UTC);
  }
}
