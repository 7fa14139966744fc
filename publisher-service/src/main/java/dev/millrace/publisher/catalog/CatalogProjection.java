package dev.millrace.publisher.catalog;

import java.util.List;

/**
 * Where the catalogue rests between starts: every definition with the LSN it counts from, as far
 * back as slots need. A projection of the log: what it lacks is taken from the log again.
 */
interface CatalogProjection {

  /**
   * @param sinceLsn the end of the commit record
   */
  record Version(long sinceLsn, CatalogChange change) {}

  /**
   * @param oldestLsn no position before it can be asked for; versions up to it form the first
   *     snapshot
   * @param appliedLsn everything committed up to here is in it
   */
  record Contents(List<Version> versions, long oldestLsn, long appliedLsn) {}

  /** Versions in the order of their LSNs. */
  Contents load();

  /** Adds versions, all or none. */
  void write(List<Version> versions, long appliedLsn);

  /** Removes the versions that nobody needs who reads from {@code lsn} on. */
  void forgetBefore(long lsn);

  /** Everything written is on disk when it returns. */
  void sync();
}
