package dev.millrace.publisher.walsender;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The three lags of pg_stat_replication (T5). */
class LagTrackerTest {

  private static final long SECOND = 1_000_000_000L;
  private final LagTracker lags = new LagTracker();

  @Test
  @DisplayName("T5: each lag is the time from sending to the report that covers it")
  void measured() {
    lags.sent(100, 0);
    lags.reported(100, 50, 0, 200, SECOND / 10);
    assertThat(lags.writeLag()).isEqualTo(Duration.ofMillis(100));
    assertThat(lags.flushLag()).isNull();
    lags.reported(100, 100, 100, 200, SECOND / 2);
    assertThat(lags.flushLag()).isEqualTo(Duration.ofMillis(500));
    assertThat(lags.applyLag()).isEqualTo(Duration.ofMillis(500));
  }

  @Test
  @DisplayName("T5: measured at most once a second")
  void oncePerSecond() {
    lags.sent(100, 0);
    lags.sent(200, SECOND / 2);
    lags.reported(200, 200, 200, 300, SECOND);
    assertThat(lags.writeLag()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  @DisplayName("T5: the lags become unknown once everything is applied and nothing was sent since")
  void unknownWhenIdle() {
    lags.sent(100, 0);
    lags.reported(100, 100, 100, 100, SECOND);
    assertThat(lags.applyLag()).isNotNull();
    lags.reported(100, 100, 100, 100, 2 * SECOND);
    assertThat(lags.writeLag()).isNull();
    assertThat(lags.flushLag()).isNull();
    assertThat(lags.applyLag()).isNull();
  }

  @Test
  @DisplayName("a peer that never reports costs no more than a fixed number of samples")
  void bounded() {
    for (int i = 1; i <= 5000; i++) {
      lags.sent(i, i * SECOND);
    }
    lags.reported(5000, 5000, 5000, 6000, 5001 * SECOND);
    assertThat(lags.writeLag()).isEqualTo(Duration.ofSeconds(5001 - 1024));
  }
}
