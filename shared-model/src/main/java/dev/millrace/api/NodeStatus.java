package dev.millrace.api;

/** What {@code /status} says of the node itself. */
public interface NodeStatus {

  /** {@code publisher} or {@code subscriber}. */
  String role();

  String systemIdentifier();

  /** The node's position as {@code X/X}; null where it has none. */
  String currentLsn();
}
