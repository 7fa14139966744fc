package dev.millrace.subscriber.catalog;

/**
 * Who this node is, and the numbers it hands out: each once in its life, across restarts and
 * crashes too. Safe for any thread.
 */
public interface NodeIdentity {

  /** 63-bit number, as text; part of the names of synchronization slots. */
  String systemIdentifier();

  /** The OID of the target database (subdbid). */
  int databaseOid();

  /** The next OID, from 16384. */
  int nextOid();

  /** The next number for pid columns. */
  long nextPid();
}
