package dev.millrace.publisher.origin;

import dev.millrace.model.Lsn;

/**
 * One origin and its progress.
 *
 * @param id what log records carry; 1 to 65534
 * @param remoteLsn how far it has been replayed, in its own positions; 0 = not known
 * @param localLsn the end of the local commit that replayed it last; 0 = none
 * @param asOfLsn commits that end behind it are not in {@code remoteLsn} yet
 */
public record ReplicationOrigin(int id, String name, long remoteLsn, long localLsn, long asOfLsn) {

  /** After a commit here; progress made so never goes back. */
  ReplicationOrigin replayed(long remote, long localEndLsn) {
    if (!Lsn.isBefore(asOfLsn, localEndLsn)) {
      return this;
    }
    return new ReplicationOrigin(
        id, name, Lsn.max(remoteLsn, remote), Lsn.max(localLsn, localEndLsn), localEndLsn);
  }

  /** Set by hand, also backwards, at a local position. */
  ReplicationOrigin advancedTo(long remote, long nowLsn) {
    return new ReplicationOrigin(id, name, remote, localLsn, Lsn.max(asOfLsn, nowLsn));
  }
}
