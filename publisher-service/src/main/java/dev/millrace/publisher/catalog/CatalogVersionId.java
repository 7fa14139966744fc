package dev.millrace.publisher.catalog;

import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;

/** One definition of one object: its kind letter, its OID, and the LSN it counts from. */
@Embeddable
record CatalogVersionId(
    @Column(name = "object", columnDefinition = "char(1)") char object,
    @Column(name = "oid") int oid,
    @Column(name = "since_lsn") long sinceLsn) {}
