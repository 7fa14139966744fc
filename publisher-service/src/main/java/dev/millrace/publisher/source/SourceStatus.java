package dev.millrace.publisher.source;

import java.time.Clock;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The source's state as others see it. The receiver's thread moves it; any thread reads.
 *
 * <pre>
 *  CONNECTING --slot is read--> STREAMING --connection lost, refused--> AWAY, SLOT_LOST, ..
 *      ^                                                                     |
 *      +--------------------- next attempt succeeds ------------------------+
 * </pre>
 */
final class SourceStatus {

  private static final Logger LOG = LoggerFactory.getLogger(SourceStatus.class);

  private final Clock clock;
  private final Duration awayTimeout;
  private State current;
  private boolean lost;

  /**
   * @param reason why it is not read; null while it is
   * @param sinceMs when the source was read last, or when the service started
   */
  record State(SourceState state, String reason, long sinceMs) {}

  SourceStatus(Clock clock, Duration awayTimeout) {
    this.clock = clock;
    this.awayTimeout = awayTimeout;
    this.current = new State(SourceState.CONNECTING, null, clock.millis());
  }

  synchronized State current() {
    return current;
  }

  synchronized void streaming() {
    lost = false;
    move(new State(SourceState.STREAMING, null, clock.millis()));
  }

  synchronized void failed(SourceState state, String reason) {
    lost |= state.isFinal();
    long sinceMs = current.state == SourceState.STREAMING ? clock.millis() : current.sinceMs;
    move(new State(state, reason, sinceMs));
  }

  private void move(State next) {
    State last = current;
    current = next;
    if (last.state != next.state || next.reason != null && !next.reason.equals(last.reason)) {
      LOG.info(
          "source: {} -> {}{}",
          last.state,
          next.state,
          next.reason == null ? "" : " (" + next.reason + ")");
    }
  }

  /**
   * Whether the source is read, or was until so short a time ago that nobody need know. What only a
   * person can put right stays, also when the server then goes away.
   */
  synchronized boolean isReady() {
    return current.state == SourceState.STREAMING
        || !lost && clock.millis() - current.sinceMs < awayTimeout.toMillis();
  }
}
