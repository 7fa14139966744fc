package dev.millrace.publisher.catalog;

import dev.millrace.model.Lsn;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** The projection in the catalogue's own H2 file. Each call is one transaction. */
final class JpaCatalogProjection implements CatalogProjection {

  private final CatalogVersionRepository versions;
  private final CatalogPositionRepository positions;
  private final TransactionTemplate transaction;
  private final JdbcTemplate jdbc;

  JpaCatalogProjection(
      CatalogVersionRepository versions,
      CatalogPositionRepository positions,
      TransactionTemplate transaction,
      JdbcTemplate jdbc) {
    this.versions = versions;
    this.positions = positions;
    this.transaction = transaction;
    this.jdbc = jdbc;
  }

  private CatalogPosition position() {
    return positions.findById(CatalogPosition.ID).orElseThrow();
  }

  @Override
  public Contents load() {
    return transaction.execute(
        status -> {
          CatalogPosition position = position();
          List<Version> loaded = versions.inOrder().stream().map(CatalogVersion::version).toList();
          return new Contents(loaded, position.oldestLsn(), position.appliedLsn());
        });
  }

  @Override
  public void write(List<Version> changed, long appliedLsn) {
    transaction.executeWithoutResult(
        status -> {
          // In order: a second change of one object in one transaction replaces the first.
          changed.forEach(
              version -> versions.save(new CatalogVersion(version.sinceLsn(), version.change())));
          CatalogPosition position = position();
          position.appliedLsn(Lsn.max(position.appliedLsn(), appliedLsn));
          positions.save(position);
        });
  }

  @Override
  public void forgetBefore(long lsn) {
    transaction.executeWithoutResult(
        status -> {
          versions.deleteReplacedBefore(lsn);
          versions.deleteDropsBefore(lsn);
          CatalogPosition position = position();
          position.oldestLsn(Lsn.max(position.oldestLsn(), lsn));
          positions.save(position);
        });
  }

  @Override
  public void sync() {
    jdbc.execute("CHECKPOINT SYNC");
  }
}
