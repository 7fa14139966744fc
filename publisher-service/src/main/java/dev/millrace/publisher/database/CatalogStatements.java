package dev.millrace.publisher.database;

import dev.millrace.model.Notice;
import dev.millrace.publisher.catalog.CatalogTransaction;
import dev.millrace.publisher.catalog.LockPatience;
import dev.millrace.publisher.catalog.PublicationCommands;
import dev.millrace.publisher.catalog.ReplicaIdentityCommand;
import dev.millrace.sql.ParsedStatement;
import dev.millrace.sql.StatementResult;
import java.util.function.Consumer;

/**
 * Statements that change the catalogue only: publication commands and REPLICA IDENTITY. They are
 * transactional and allowed anywhere; their own transaction sees the change at once, others after
 * its commit record. One session.
 */
final class CatalogStatements {

  private final NodeParts node;
  private final PublicationCommands publications;
  private final SessionParts session;

  CatalogStatements(NodeParts node, SessionParts session) {
    this.node = node;
    this.publications = new PublicationCommands(node.catalog(), node.settings());
    this.session = session;
  }

  /** Whether this class runs statements of that kind. */
  static boolean runs(ParsedStatement statement) {
    return statement instanceof ParsedStatement.CreatePublication
        || statement instanceof ParsedStatement.AlterPublication
        || statement instanceof ParsedStatement.DropPublication
        || statement instanceof ParsedStatement.AlterReplicaIdentity;
  }

  /** Runs the statement and puts its records into the capture's batch. */
  StatementResult run(
      ParsedStatement statement,
      NodeTransaction transaction,
      RelationLocks.Patience patience,
      Consumer<Notice> notices) {
    if (transaction.catalog() == null) {
      transaction.catalog(node.catalog().begin());
    }
    CatalogTransaction changes = transaction.catalog();
    changes.patience(new LockPatience(patience.lockTimeoutMs(), patience.cancellation()::check));
    StatementResult result;
    if (statement instanceof ParsedStatement.CreatePublication create) {
      result = publications.create(create, changes, notices);
    } else if (statement instanceof ParsedStatement.AlterPublication alter) {
      result = publications.alter(alter, changes);
    } else if (statement instanceof ParsedStatement.DropPublication drop) {
      result = publications.drop(drop, changes, notices);
    } else {
      result = identity((ParsedStatement.AlterReplicaIdentity) statement, changes, patience);
    }
    if (!changes.isEmpty()) {
      int xid = transaction.currentXid();
      changes.encode(session.capture().batch(), xid, transaction.xid(), node.databaseOid());
    }
    return result;
  }

  private StatementResult identity(
      ParsedStatement.AlterReplicaIdentity alter,
      CatalogTransaction changes,
      RelationLocks.Patience patience) {
    session.tables().lockAlone(alter.table(), patience);
    ReplicaIdentityCommand.execute(alter, changes);
    return StatementResult.ofCommand("ALTER TABLE");
  }
}
