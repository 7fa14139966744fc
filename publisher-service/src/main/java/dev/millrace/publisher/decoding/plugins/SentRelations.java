package dev.millrace.publisher.decoding.plugins;

import java.util.HashMap;
import java.util.Map;

/**
 * The Relation messages the consumer has. Those sent inside a streamed transaction count only for
 * that transaction until it commits: the consumer may keep its blocks aside, and forgets them at
 * its abort.
 */
final class SentRelations {

  private final Map<Integer, PublishedRelation> byOid = new HashMap<>();
  private final Map<Integer, Map<Integer, PublishedRelation>> byStreamedXid = new HashMap<>();
  private Map<Integer, PublishedRelation> current = byOid;

  /** What is asked and noted from now on belongs to a block of that transaction. */
  void enterStream(int topXid) {
    current = byStreamedXid.computeIfAbsent(topXid, xid -> new HashMap<>());
  }

  void leaveStream() {
    current = byOid;
  }

  /** Null when the consumer does not have that table. */
  PublishedRelation find(int oid) {
    return current.get(oid);
  }

  void sent(int oid, PublishedRelation relation) {
    current.put(oid, relation);
  }

  /** The streamed transaction has committed: what it sent is known outside of it. */
  void committed(int topXid) {
    Map<Integer, PublishedRelation> sent = byStreamedXid.remove(topXid);
    if (sent != null) {
      byOid.putAll(sent);
    }
  }

  /** It, or a part of it, has aborted: what it sent is sent again when needed. */
  void aborted(int topXid) {
    byStreamedXid.remove(topXid);
  }

  void clear() {
    byOid.clear();
    byStreamedXid.clear();
    current = byOid;
  }
}
