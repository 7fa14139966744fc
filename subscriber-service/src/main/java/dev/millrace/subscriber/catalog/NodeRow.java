package dev.millrace.subscriber.catalog;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** The one row of this node's identity and number bounds. */
@Entity
@Table(name = "node")
class NodeRow {

  static final int ONLY = 1;

  @Id Integer id;

  @Column(name = "system_identifier")
  long systemIdentifier;

  @Column(name = "database_oid")
  int databaseOid;

  /** No OID at or above this one has been given out. */
  @Column(name = "next_oid")
  int nextOid;

  /** No pid at or above this one has been given out. */
  @Column(name = "next_pid")
  long nextPid;

  protected NodeRow() {}

  NodeRow(long systemIdentifier, int databaseOid, int nextOid, long nextPid) {
    id = ONLY;
    this.systemIdentifier = systemIdentifier;
    this.databaseOid = databaseOid;
    this.nextOid = nextOid;
    this.nextPid = nextPid;
  }
}
