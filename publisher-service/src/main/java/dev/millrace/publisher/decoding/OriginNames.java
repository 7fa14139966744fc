package dev.millrace.publisher.decoding;

/** Finds a replication origin's name by its number. */
@FunctionalInterface
public interface OriginNames {

  /** Null for a local transaction's 0, and when there is no such origin any more. */
  String nameOf(int originId);
}
