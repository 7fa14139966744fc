package dev.millrace.subscriber.catalog;

import dev.millrace.model.QualifiedName;
import dev.millrace.model.ReplicaIdentity;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** The OID and replica identity of a table of the target database. */
@Entity
@Table(name = "local_relation")
class LocalRelationRow {

  @Id Integer oid;
  String schemaname;
  String relname;
  String relreplident;

  @Column(name = "identity_index")
  String identityIndex;

  protected LocalRelationRow() {}

  LocalRelationRow(int oid, QualifiedName name) {
    this.oid = oid;
    schemaname = name.schema();
    relname = name.name();
    relreplident = String.valueOf(ReplicaIdentity.DEFAULT.code());
  }

  LocalRelation toRelation() {
    return new LocalRelation(
        oid,
        new QualifiedName(schemaname, relname),
        ReplicaIdentity.of(relreplident.charAt(0)),
        identityIndex);
  }
}
