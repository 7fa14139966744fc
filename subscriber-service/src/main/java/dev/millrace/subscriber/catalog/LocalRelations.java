package dev.millrace.subscriber.catalog;

import dev.millrace.model.QualifiedName;
import dev.millrace.model.ReplicaIdentity;
import java.util.List;

/**
 * OIDs and replica identities of the target database's tables. It does not look whether a table
 * exists: callers ask for those they have seen. Safe for any thread; reads come from memory.
 */
public interface LocalRelations {

  /** The table of that name; it gets its OID at the first call. */
  LocalRelation of(QualifiedName table);

  /** Null when no table has that OID (any more). */
  LocalRelation byOid(int oid);

  /** The OID of a schema: {@code public} has PostgreSQL's, others get one at the first call. */
  int schemaOid(String schema);

  /** The OID of an enum, a domain or one of an enum's labels; it gets one at the first call. */
  int typeOid(QualifiedName type, String label);

  /** The schema and its tables keep their OIDs under the schema's new name. */
  void renameSchema(String from, String to);

  /** All tables that have an OID. */
  List<LocalRelation> all();

  /** ALTER TABLE .. REPLICA IDENTITY. */
  void setReplicaIdentity(QualifiedName table, ReplicaIdentity identity, String indexName);

  /**
   * The table keeps its OID under its new name; one that somebody has asked for under that name
   * between the rename in the database and this call is given up.
   */
  void rename(QualifiedName from, QualifiedName to);

  /** The table was dropped: its OID is never used again, and subscriptions forget it. */
  void forget(QualifiedName table);
}
