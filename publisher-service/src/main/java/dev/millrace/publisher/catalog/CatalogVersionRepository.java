package dev.millrace.publisher.catalog;

import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;

interface CatalogVersionRepository extends JpaRepository<CatalogVersion, CatalogVersionId> {

  @Query("select v from CatalogVersion v order by v.id.sinceLsn, v.id.object, v.id.oid")
  List<CatalogVersion> inOrder();

  /** Versions that a later one replaced at or before the position. */
  @Modifying
  @Query(
      "delete from CatalogVersion v where exists (select 1 from CatalogVersion n"
          + " where n.id.object = v.id.object and n.id.oid = v.id.oid"
          + " and n.id.sinceLsn > v.id.sinceLsn and n.id.sinceLsn <= :lsn)")
  void deleteReplacedBefore(long lsn);

  @Modifying
  @Query("delete from CatalogVersion v where v.dropped = true and v.id.sinceLsn <= :lsn")
  void deleteDropsBefore(long lsn);
}
