package dev.millrace.publisher.source;

/** What is known of the source, as status and health show it. */
enum SourceState {
  /** No connection yet, or a new one is being made. */
  CONNECTING,
  /** The slot is being read. */
  STREAMING,
  /** The server cannot be reached or refuses; tried again and again. */
  AWAY,
  /** The slot is gone, invalidated or used by another: what it held back may be lost. */
  SLOT_LOST,
  /** The server is not the one this log was taken from. */
  OTHER_SYSTEM,
  /** A standby was promoted before everything taken over here had reached it. */
  DIVERGED,
  /** The publication to read does not exist, or the server's settings do not allow reading. */
  MISCONFIGURED;

  /** Whether only a person can put it right: what was not taken over cannot be had any more. */
  boolean isFinal() {
    return this == SLOT_LOST || this == OTHER_SYSTEM || this == DIVERGED;
  }
}
