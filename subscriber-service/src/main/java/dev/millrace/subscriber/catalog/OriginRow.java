package dev.millrace.subscriber.catalog;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A row of pg_replication_origin. */
@Entity
@Table(name = "replication_origin")
class OriginRow {

  @Id Integer roident;
  String roname;

  protected OriginRow() {}

  OriginRow(int roident, String roname) {
    this.roident = roident;
    this.roname = roname;
  }
}
