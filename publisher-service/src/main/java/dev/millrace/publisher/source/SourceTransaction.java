package dev.millrace.publisher.source;

import dev.millrace.model.RelationDefinition;
import dev.millrace.publisher.database.ForeignTransaction;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A transaction of the source that is being taken over: its xids there and here, and, for a
 * streamed one, the table definitions that were told inside it. One thread.
 */
final class SourceTransaction {

  /** A definition and how many Relation messages came before its own. */
  record Told(RelationDefinition relation, long order) {}

  private final int remoteXid;
  private final boolean streamed;
  private final ForeignTransaction own;
  private final Map<Integer, Integer> subxids = new LinkedHashMap<>();
  private final Map<Integer, Told> relations = new HashMap<>();
  private int originId;
  private long originLsn;

  SourceTransaction(int remoteXid, boolean streamed, ForeignTransaction own) {
    this.remoteXid = remoteXid;
    this.streamed = streamed;
    this.own = own;
  }

  int remoteXid() {
    return remoteXid;
  }

  /** Whether it arrives in blocks while it is still open over there. */
  boolean isStreamed() {
    return streamed;
  }

  ForeignTransaction own() {
    return own;
  }

  /** The xid of this node for a (sub)transaction's xid of the source; 0 stands for the top one. */
  int xid(int remote) {
    if (remote == 0 || remote == remoteXid) {
      return own.xid();
    }
    Integer known = subxids.get(remote);
    if (known == null) {
      known = own.assignSubxid();
      subxids.put(remote, known);
    }
    return known;
  }

  /** Forgets an aborted subtransaction; returns its xid of this node, 0 when nothing of it came. */
  int abortSubtransaction(int remote) {
    Integer xid = subxids.remove(remote);
    return xid == null ? 0 : xid;
  }

  /** The xids of this node of its subtransactions that did not abort. */
  Collection<Integer> subxids() {
    return subxids.values();
  }

  /** The definitions told inside this streamed transaction, by OID. */
  Map<Integer, Told> relations() {
    return relations;
  }

  void origin(int id, long lsn) {
    originId = id;
    originLsn = lsn;
  }

  int originId() {
    return originId;
  }

  long originLsn() {
    return originLsn;
  }
}
