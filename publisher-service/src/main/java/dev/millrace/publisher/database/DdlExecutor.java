package dev.millrace.publisher.database;

import dev.millrace.model.FaultPoint;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.model.UserTypes;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.catalog.CatalogTransaction;
import dev.millrace.publisher.wal.WalBatch;
import dev.millrace.sql.AlterRehearsal;
import dev.millrace.sql.H2Errors;
import dev.millrace.sql.H2UserTypes;
import dev.millrace.sql.ParsedStatement;
import dev.millrace.sql.ParsedStatement.Ddl.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.h2.schema.Sequence;

/**
 * Runs DDL, one statement at a time in the node.
 *
 * <p>H2 commits a DDL statement by itself, so no marker can share its commit. Instead the log holds
 * an intent before H2 runs it and the new definitions with a commit after it is durable there:
 *
 * <pre>
 *   lock the tables alone, wait for open snapshots, enter the gate's shared side
 *   append the intent, flush                  kill here: H2 equals "before", the start appends an abort
 *   run it in H2, $rid and triggers           kill here: H2 has it or not, the start looks
 *   CHECKPOINT SYNC                           kill here: H2 has it, the start appends the commit
 *   append catalogue records and commit, flush
 * </pre>
 *
 * So a committed DDL is durable in H2 and never redone, and at a start only the last intent can be
 * open. Safe for any thread.
 */
final class DdlExecutor {

  private static final long POLL_MS = 20;
  private static final Set<Kind> ALTERING =
      EnumSet.of(Kind.ALTER_TABLE, Kind.DROP_TABLE, Kind.DROP_SCHEMA, Kind.OTHER);
  private static final Pattern MANY_TABLES =
      Pattern.compile("\\b(references|cascade)\\b", Pattern.CASE_INSENSITIVE);
  private static final Pattern RENAME = Pattern.compile("\\brename\\b", Pattern.CASE_INSENSITIVE);

  private final NodeParts node;
  private final Connection owner;
  private final CaptureTriggers triggers;
  private final ReentrantLock oneAtATime = new ReentrantLock();

  DdlExecutor(NodeParts node) {
    this.node = node;
    this.owner = node.database().openOwner();
    clearRehearsal();
    this.triggers = new CaptureTriggers(node.database());
  }

  private void clearRehearsal() {
    try {
      AlterRehearsal.clear(owner);
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  /**
   * Runs the statement as a transaction of its own; {@code transaction} is new and is ended.
   *
   * @return whether a table or schema has changed
   */
  boolean run(
      ParsedStatement.Ddl ddl, NodeTransaction transaction, RelationLocks.Patience patience) {
    ddl.refuseRenameOfTypes(node.catalog().current().types().keySet());
    lockExecutor(patience);
    try {
      Set<QualifiedName> touched = lockTables(ddl, transaction, patience);
      PublishedColumns.check(ddl, node.catalog().current());
      if (AlterRehearsal.isIrreversible(ddl)) {
        AlterRehearsal.run(owner, ddl);
      }
      long stamp = enterGate(ddl, patience);
      try {
        return runLogged(ddl, transaction, touched);
      } finally {
        node.gate().leave(stamp);
      }
    } finally {
      node.locks().end(transaction);
      oneAtATime.unlock();
    }
  }

  private void lockExecutor(RelationLocks.Patience patience) {
    long startNs = System.nanoTime();
    try {
      while (!oneAtATime.tryLock(POLL_MS, TimeUnit.MILLISECONDS)) {
        RelationLocks.checkPatience((System.nanoTime() - startNs) / 1_000_000, patience);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PgException(SqlState.ADMIN_SHUTDOWN, "terminating connection", e);
    }
  }

  /** Locks every table the statement may change, in OID order; returns their names. */
  private Set<QualifiedName> lockTables(
      ParsedStatement.Ddl ddl, NodeTransaction transaction, RelationLocks.Patience patience) {
    List<RelationDefinition> relations = new ArrayList<>();
    boolean all =
        ddl.kind() == Kind.DROP_SCHEMA
            || ddl.kind() == Kind.OTHER
            || ddl.kind() == Kind.DROP_INDEX
            || MANY_TABLES.matcher(ddl.original()).find();
    for (RelationDefinition relation : node.catalog().current().relations().values()) {
      if (all || ddl.targets().contains(relation.name())) {
        relations.add(relation);
      }
    }
    relations.sort(Comparator.comparingInt(RelationDefinition::oid));
    Set<QualifiedName> names = new LinkedHashSet<>();
    for (RelationDefinition relation : relations) {
      node.locks().acquire(transaction, relation.oid(), true, patience);
      names.add(relation.name());
    }
    return names;
  }

  /**
   * Enters the gate's shared side with no snapshot open that an ALTER or DROP would disturb; the
   * wait is outside the gate, where its holder may need it.
   */
  private long enterGate(ParsedStatement.Ddl ddl, RelationLocks.Patience patience) {
    long startNs = System.nanoTime();
    while (true) {
      long stamp = node.gate().enterShared();
      String holder = ALTERING.contains(ddl.kind()) ? node.snapshots().holder() : null;
      if (holder == null) {
        return stamp;
      }
      node.gate().leave(stamp);
      patience.cancellation().check();
      long waitedMs = (System.nanoTime() - startNs) / 1_000_000;
      if (patience.lockTimeoutMs() > 0 && waitedMs >= patience.lockTimeoutMs()) {
        throw inUse(ddl, holder);
      }
      try {
        node.snapshots().awaitChange(POLL_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new PgException(SqlState.ADMIN_SHUTDOWN, "terminating connection", e);
      }
    }
  }

  private static PgException inUse(ParsedStatement.Ddl ddl, String holder) {
    String what = ddl.target() == null ? "object" : "table \"" + ddl.target().name() + '"';
    return new PgException(
            SqlState.OBJECT_IN_USE,
            "cannot " + ddl.tag() + " because a snapshot of " + what + " is in use")
        .withDetail("The snapshot is held by " + holder + ".");
  }

  /** Returns whether anything has changed. */
  private boolean runLogged(
      ParsedStatement.Ddl ddl, NodeTransaction transaction, Set<QualifiedName> touched) {
    WalBatch batch = new WalBatch(1024);
    int xid = transaction.currentXid();
    new DdlIntent(ddl.original()).encode(batch, xid, node.databaseOid());
    node.transactions().append(transaction, batch);
    node.log().flush(node.log().insertLsn());
    FaultPoint.hit("ddl.intent");
    PgException error;
    boolean changed;
    try {
      if (ddl.kind() == Kind.ALTER_TABLE) {
        triggers.drop(relations(node.catalog().current(), touched));
      }
      error = runInHeap(ddl);
      CatalogTransaction changes = complete(ddl, touched);
      changed = !changes.isEmpty();
      if (error != null && !changed) {
        changes.rollbackTo(0);
        node.transactions().appendAbort(transaction, batch);
      } else {
        commit(ddl, transaction, changes, batch);
      }
    } catch (RuntimeException | Error e) {
      throw node.failure().stop("could not finish " + ddl.tag() + " after its intent", e);
    }
    if (error != null) {
      throw error; // What came before the failing part of a compound statement has happened.
    }
    return changed;
  }

  private PgException runInHeap(ParsedStatement.Ddl ddl) {
    RelationDefinition before =
        ddl.target() == null ? null : node.catalog().current().relation(ddl.target());
    AlterUndo undo =
        ddl.kind() == Kind.ALTER_TABLE && ddl.h2Statements().size() > 1 && before != null
            ? new AlterUndo(owner, before, node.catalog().current().types()::get)
            : null;
    PgException error = executeAll(ddl);
    if (error != null && undo != null) {
      undo.run();
    }
    return error;
  }

  private PgException executeAll(ParsedStatement.Ddl ddl) {
    try (Statement statement = owner.createStatement()) {
      for (String sql : ddl.h2Statements()) {
        statement.execute(sql);
        FaultPoint.hit("ddl.statement");
      }
      owner.commit();
      return null;
    } catch (SQLException e) {
      rollbackOwner(); // H2 keeps its lock on the metadata until the transaction ends.
      return H2Errors.translate(e);
    }
  }

  private void rollbackOwner() {
    try {
      owner.rollback();
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  /** An enum is made and then given its labels: a kill between the two is made good. */
  void finishType(ParsedStatement.Ddl ddl) {
    QualifiedName name = ddl.target();
    boolean made =
        ddl.kind() == Kind.CREATE_TYPE
            && H2UserTypes.read(owner, UserTypes.NONE, H2UserTypes.NO_OIDS).containsKey(name);
    for (String statement : ddl.h2Statements()) {
      if (made && statement.startsWith("COMMENT ")) {
        node.database().admin(statement);
      }
    }
  }

  /**
   * Gives the tables that H2 has now what capture needs, makes them durable, and finds what the
   * catalogue must learn. Also what a start does after a kill inside a DDL statement.
   */
  CatalogTransaction complete(ParsedStatement.Ddl ddl, Set<QualifiedName> touched) {
    Connection admin = node.database().adminConnection();
    CatalogTransaction changes = node.catalog().begin();
    synchronized (admin) {
      List<RelationDefinition> defined =
          new CatalogDifference(node.catalog(), admin, ddl).put(changes, touched);
      HeapLayout layout = HeapLayout.read(admin);
      for (RelationDefinition relation : defined) {
        triggers.addRowIdentifier(relation, layout.columns(relation.name()));
        triggers.renew(relation);
      }
      if (ddl.kind() == Kind.ALTER_TABLE) {
        triggers.addMissing(relations(changes.view(), touched));
      }
    }
    changes.view().schemas().values().forEach(schema -> node.database().openSchema(schema.name()));
    FaultPoint.hit("ddl.done");
    node.database().checkpointSync();
    FaultPoint.hit("ddl.synced");
    return changes;
  }

  private static List<RelationDefinition> relations(
      CatalogSnapshot catalog, Set<QualifiedName> names) {
    List<RelationDefinition> relations = new ArrayList<>();
    for (QualifiedName name : names) {
      RelationDefinition relation = catalog.relation(name);
      if (relation != null) {
        relations.add(relation);
      }
    }
    return relations;
  }

  /** Appends the catalogue's records and the commit, and lets others see the tables. */
  void commit(
      ParsedStatement.Ddl ddl,
      NodeTransaction transaction,
      CatalogTransaction changes,
      WalBatch batch) {
    changes.encode(batch, transaction.xid(), transaction.xid(), node.databaseOid());
    transaction.catalog(changes);
    node.shapes().refresh();
    node.sequences().refresh(node.shapes().layout().sequences());
    noteSequences(ddl, batch);
    long endLsn = node.transactions().appendDdlCommit(transaction, batch);
    node.log().flush(endLsn);
    FaultPoint.hit("ddl.committed");
  }

  /** ALTER may have set sequences back, which the log must know. */
  private void noteSequences(ParsedStatement.Ddl ddl, WalBatch batch) {
    if (ddl.kind() == Kind.ALTER_SEQUENCE) {
      node.sequences().resync(batch, ddl.target());
    } else if (ddl.kind() == Kind.ALTER_TABLE) {
      QualifiedName table = ddl.newName() == null ? ddl.target() : ddl.newName();
      for (Sequence sequence : node.shapes().layout().identitySequences(table)) {
        node.sequences()
            .resync(batch, new QualifiedName(sequence.getSchema().getName(), sequence.getName()));
      }
    }
  }
}
