package dev.millrace.publisher.database;

import org.springframework.context.SmartLifecycle;

/**
 * The order of a clean stop, as phases of Spring's lifecycle: higher ones stop first. The web
 * server (phases from {@link SmartLifecycle#DEFAULT_PHASE} - 2048 on) stops after all of these, so
 * that probes answer meanwhile; the log and the data directory's lock are freed last, as beans.
 */
public final class StopPhases {

  /** No new SQL, idle sessions rolled back, commits drained. */
  public static final int SESSIONS = SmartLifecycle.DEFAULT_PHASE;

  /** Walsenders send all there is and wait for their consumers' confirmation. */
  public static final int WAL_SENDERS = SmartLifecycle.DEFAULT_PHASE - 100;

  /** A last checkpoint, then H2 is closed. */
  public static final int DATABASE = SmartLifecycle.DEFAULT_PHASE - 200;

  private StopPhases() {}
}
