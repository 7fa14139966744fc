package dev.millrace.publisher.catalog;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** The single row that tells how far the projection reaches, back and forth. */
@Entity
@Table(name = "catalog_position")
class CatalogPosition {

  static final int ID = 1;

  @Id private int id;

  @Column(name = "oldest_lsn")
  private long oldestLsn;

  @Column(name = "applied_lsn")
  private long appliedLsn;

  protected CatalogPosition() {}

  long oldestLsn() {
    return oldestLsn;
  }

  long appliedLsn() {
    return appliedLsn;
  }

  void oldestLsn(long lsn) {
    oldestLsn = lsn;
  }

  void appliedLsn(long lsn) {
    appliedLsn = lsn;
  }
}
