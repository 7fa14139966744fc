package dev.millrace.publisher.recovery;

import dev.millrace.model.FaultPoint;
import dev.millrace.model.RelationDefinition;
import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.catalog.CatalogTransaction;
import dev.millrace.publisher.decoding.ReorderBuffer;
import dev.millrace.publisher.wal.WalRecordType;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;

/** Applies a prepared transaction to a connection of its own and leaves it open there. */
final class PreparedRedo {

  private final CatalogStore catalog;
  private final Supplier<Connection> connections;

  /**
   * @param connections opens a session's connection for each prepared transaction
   */
  PreparedRedo(CatalogStore catalog, Supplier<Connection> connections) {
    this.catalog = catalog;
    this.connections = connections;
  }

  /** What was found, with its connection and its changes of the catalogue. */
  RecoveryResult.Prepared open(RecoveryResult.Prepared found, ReorderBuffer buffer)
      throws SQLException {
    Connection own = connections.get();
    CatalogTransaction changes = catalog.begin();
    try (RowRedo rows = new RowRedo(own, (oid, version) -> relation(changes, oid, version))) {
      buffer.commit(
          found.xid(),
          found.record().subxids().stream().mapToInt(Integer::intValue).toArray(),
          (changeXid, lsn, type, flags, originId, bytes, offset, length) -> {
            if (type == WalRecordType.CATALOG) {
              changes.resume(bytes, offset, length);
            } else {
              rows.redo(lsn, type, bytes, offset, length);
            }
          });
    } catch (SQLException | RuntimeException | Error e) {
      own.close();
      throw e;
    }
    FaultPoint.hit("redo.prepared");
    return found.opened(changes.isEmpty() ? null : changes, own);
  }

  /** The definition as the transaction itself sees it, or saw it. */
  private RelationDefinition relation(CatalogTransaction changes, int oid, int version) {
    RelationDefinition own = changes.isEmpty() ? null : changes.view().relation(oid);
    return own != null && own.version() == version ? own : catalog.relation(oid, version);
  }
}
