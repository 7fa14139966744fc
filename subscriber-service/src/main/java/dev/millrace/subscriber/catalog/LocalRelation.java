package dev.millrace.subscriber.catalog;

import dev.millrace.model.QualifiedName;
import dev.millrace.model.ReplicaIdentity;

/**
 * What the catalogue knows of a table of the target database; its columns are the database's own
 * business.
 *
 * @param identityIndex the index of REPLICA IDENTITY USING INDEX, null otherwise
 */
public record LocalRelation(
    int oid, QualifiedName name, ReplicaIdentity replicaIdentity, String identityIndex) {}
