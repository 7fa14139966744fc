package dev.millrace.model;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * PostgreSQL's clock: microseconds since 2000-01-01 00:00:00 UTC, as in the log and in every
 * protocol message.
 */
public final class PgTime {

  private static final Instant EPOCH = Instant.parse("2000-01-01T00:00:00Z");
  private static final long EPOCH_SECONDS = EPOCH.getEpochSecond();

  private PgTime() {}

  public static long fromInstant(Instant instant) {
    return (instant.getEpochSecond() - EPOCH_SECONDS) * 1_000_000L + instant.getNano() / 1_000;
  }

  public static Instant toInstant(long micros) {
    return EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
