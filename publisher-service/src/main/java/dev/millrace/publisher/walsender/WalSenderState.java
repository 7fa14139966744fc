package dev.millrace.publisher.walsender;

import java.util.Locale;

/** What a walsender is doing (pg_stat_replication.state). */
enum WalSenderState {
  /** Connected, no stream asked for yet, or being set up. */
  STARTUP,
  /** Decoding log written before it caught up for the first time. */
  CATCHUP,
  /** Has caught up and follows the log as it is flushed. */
  STREAMING,
  /** The node stops: everything is sent and the peer's confirmation awaited. */
  STOPPING;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
