package dev.millrace.subscriber.catalog;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import jakarta.persistence.EntityManager;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * Origins and how far each has been applied.
 *
 * <p>Progress rows are no entities: one is inserted by every applied transaction, on the worker's
 * own connection, and nobody ever loads one as an object. They are inserted rather than updated
 * because an updated row stays locked until its transaction ends, which would make everybody wait
 * for a prepared one.
 */
final class ReplicationOrigins {

  private static final String INSERT =
      "insert into millrace.replication_progress (roident, end_lsn, commit_time) values (?, ?, ?)";
  private static final int GREATEST_ORIGIN = 65535;

  private final EntityManager entities;

  ReplicationOrigins(EntityManager entities) {
    this.entities = entities;
  }

  /** Null when there is no origin of that name. Runs in the caller's transaction, as all here. */
  OriginRow find(String name) {
    return entities
        .createQuery("from OriginRow where roname = :name", OriginRow.class)
        .setParameter("name", name)
        .getResultStream()
        .findFirst()
        .orElse(null);
  }

  List<OriginRow> all() {
    return entities.createQuery("from OriginRow order by roident", OriginRow.class).getResultList();
  }

  int ensure(String name) {
    OriginRow known = find(name);
    if (known != null) {
      return known.roident;
    }
    int free = 1;
    for (OriginRow row : all()) {
      if (row.roident != free) {
        break;
      }
      free++;
    }
    if (free > GREATEST_ORIGIN) {
      throw new PgException(
          SqlState.PROGRAM_LIMIT_EXCEEDED, "could not find free replication origin ID");
    }
    entities.persist(new OriginRow(free, name));
    return free;
  }

  /** Nothing happens when there is none. */
  void drop(String name) {
    OriginRow row = find(name);
    if (row != null) {
      entities
          .createNativeQuery("delete from millrace.replication_progress where roident = ?1")
          .setParameter(1, row.roident)
          .executeUpdate();
      entities.remove(row);
    }
  }

  long progress(int originNumber) {
    Number greatest =
        (Number)
            entities
                .createNativeQuery(
                    "select max(end_lsn) from millrace.replication_progress where roident = ?1")
                .setParameter(1, originNumber)
                .getSingleResult();
    return greatest == null ? 0 : greatest.longValue();
  }

  void prune(int originNumber) {
    entities
        .createNativeQuery(
            "delete from millrace.replication_progress where roident = ?1 and end_lsn < ?2")
        .setParameter(1, originNumber)
        .setParameter(2, progress(originNumber))
        .executeUpdate();
  }

  static void insertProgress(
      Connection transaction, int originNumber, long endLsn, long commitTime) {
    try (PreparedStatement insert = transaction.prepareStatement(INSERT)) {
      insert.setInt(1, originNumber);
      insert.setLong(2, endLsn);
      insert.setLong(3, commitTime);
      insert.executeUpdate();
    } catch (SQLException e) {
      throw new PgException(
          SqlState.IO_ERROR, "could not store replication progress: " + e.getMessage(), e);
    }
  }
}
