package dev.millrace.subscriber.target;

import dev.millrace.heap.AtomicStores;
import dev.millrace.heap.DiskSpace;
import dev.millrace.heap.StoreSync;
import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.model.SqlState;
import dev.millrace.model.TypeDefinition;
import dev.millrace.model.UserTypes;
import dev.millrace.sql.H2Errors;
import dev.millrace.sql.H2Schema;
import dev.millrace.sql.H2UserTypes;
import dev.millrace.subscriber.catalog.LocalRelation;
import dev.millrace.subscriber.catalog.LocalRelations;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.h2.engine.Database;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.h2.schema.Schema;
import org.h2.table.Table;

/**
 * An embedded H2 database as the target.
 *
 * <p>H2 acknowledges a commit before it is on disk; callers of {@link #makeDurable} share the syncs
 * that force it there. Threads that run statements here are never interrupted: an interrupt during
 * file access closes H2's file and with it the database.
 */
public final class H2TargetDatabase implements TargetDatabase, AutoCloseable {

  /** Replicated rows wait for local locks as long as PostgreSQL would let them, nearly. */
  private static final int LOCK_TIMEOUT_MS = 60_000;

  private static final int SHORT_LOCK_TIMEOUT_MS = 50;

  private static final String REFERENCING =
      """
      select distinct c.table_schema, c.table_name
      from information_schema.referential_constraints r
      join information_schema.table_constraints c
        on c.constraint_schema = r.constraint_schema and c.constraint_name = r.constraint_name
      join information_schema.table_constraints u
        on u.constraint_schema = r.unique_constraint_schema
        and u.constraint_name = r.unique_constraint_name
      where u.table_schema = ? and u.table_name = ?
        and not (c.table_schema = u.table_schema and c.table_name = u.table_name)
      order by 1, 2
      """;

  private final DataSource connections;
  private final LocalRelations localRelations;
  private final IntSupplier nextOid;
  private final Connection admin;
  private final Database database;
  private final DiskSpace space;
  private final ExecutorService syncThread =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "target sync");
            thread.setDaemon(true);
            return thread;
          });
  private final GroupSync syncs = new GroupSync(this::sync, syncThread, this::requireRoom);
  private final Set<QualifiedName> unchecked = ConcurrentHashMap.newKeySet();
  private final AtomicLong announcedChanges = new AtomicLong();
  private final DefinitionLocks definitionLocks = new DefinitionLocks();

  /**
   * @param connections gives unpooled connections with admin rights
   * @param nextOid OIDs for indexes
   */
  public H2TargetDatabase(
      DataSource connections, LocalRelations localRelations, IntSupplier nextOid) {
    this.connections = connections;
    this.localRelations = localRelations;
    this.nextOid = nextOid;
    try {
      admin = connections.getConnection();
      AtomicStores.install(admin);
      database = ((SessionLocal) admin.unwrap(JdbcConnection.class).getSession()).getDatabase();
      space = DiskSpace.ofDatabase(database.getName());
    } catch (SQLException e) {
      throw unreachable(e);
    }
  }

  @Override
  public Connection openConnection() {
    try {
      Connection connection = connections.getConnection();
      try (Statement statement = connection.createStatement()) {
        statement.execute("SET LOCK_TIMEOUT " + LOCK_TIMEOUT_MS);
      }
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      return connection;
    } catch (SQLException e) {
      throw unreachable(e);
    }
  }

  private static PgException unreachable(SQLException e) {
    return new PgException(
        SqlState.CONNECTION_FAILURE,
        "could not connect to the target database: " + e.getMessage(),
        e);
  }

  @Override
  public RelationDefinition relation(QualifiedName table) {
    synchronized (admin) {
      Table found = findTable(table);
      if (found == null) {
        return null;
      }
      if (found.isView()) {
        throw new PgException(
                SqlState.WRONG_OBJECT_TYPE,
                "cannot use relation \"" + table + "\" as logical replication target")
            .withDetail("This operation is not supported for views.");
      }
      LocalRelation local = localRelations.of(table);
      RelationDefinition known =
          new RelationDefinition(
              local.oid(), 0, table, List.of(), List.of(), local.replicaIdentity(), 0);
      RelationDefinition read =
          H2Schema.read(admin, table, known, UnaryOperator.identity(), types()::get, nextOid);
      return read == null ? null : withIdentity(read, local);
    }
  }

  @Override
  public Map<QualifiedName, TypeDefinition> types() {
    synchronized (admin) {
      return H2UserTypes.read(admin, UserTypes.NONE, new LocalOids());
    }
  }

  private final class LocalOids implements H2UserTypes.Oids {
    @Override
    public int type(QualifiedName name) {
      return localRelations.typeOid(name, null);
    }

    @Override
    public int label(QualifiedName type, String label) {
      return localRelations.typeOid(type, label);
    }
  }

  private static RelationDefinition withIdentity(RelationDefinition read, LocalRelation local) {
    int identityIndexOid =
        local.replicaIdentity() != ReplicaIdentity.INDEX
            ? 0
            : read.indexes().stream()
                .filter(index -> index.name().equals(local.identityIndex()))
                .mapToInt(index -> index.oid())
                .findFirst()
                .orElse(0);
    return new RelationDefinition(
        local.oid(),
        read.version(),
        read.name(),
        read.columns(),
        read.indexes(),
        local.replicaIdentity(),
        identityIndexOid);
  }

  @Override
  public List<QualifiedName> referencingTables(QualifiedName table) {
    synchronized (admin) {
      try (PreparedStatement query = admin.prepareStatement(REFERENCING)) {
        query.setString(1, table.schema());
        query.setString(2, table.name());
        List<QualifiedName> tables = new ArrayList<>();
        try (ResultSet rows = query.executeQuery()) {
          while (rows.next()) {
            tables.add(new QualifiedName(rows.getString(1), rows.getString(2)));
          }
        }
        return tables;
      } catch (SQLException e) {
        throw H2Errors.translate(e);
      }
    }
  }

  @Override
  public long schemaVersion() {
    return database.getModificationMetaId() + announcedChanges.get();
  }

  @Override
  public DefinitionLocks definitionLocks() {
    return definitionLocks;
  }

  @Override
  public void definitionChanged() {
    announcedChanges.incrementAndGet();
  }

  @Override
  public void makeDurable() {
    syncs.await();
  }

  private void sync() {
    StoreSync.sync(database);
  }

  @Override
  public PgException refusal() {
    return space.refusal();
  }

  @Override
  public void giveUpWaiting() {
    space.giveUp();
  }

  @Override
  public boolean hasClosedItself() {
    return database.isClosing() || database.getStore().getMvStore().isClosed();
  }

  @Override
  public void skipForeignKeyChecks(QualifiedName table) {
    unchecked.add(table);
    try {
      setReferentialIntegrity(table, false, LOCK_TIMEOUT_MS);
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  @Override
  public void checkForeignKeysExcept(Set<QualifiedName> subscribed) {
    for (QualifiedName table : Set.copyOf(unchecked)) {
      if (!subscribed.contains(table)) {
        try {
          setReferentialIntegrity(table, true, SHORT_LOCK_TIMEOUT_MS);
          unchecked.remove(table);
        } catch (SQLException e) {
          PgException error = H2Errors.translate(e);
          // Somebody is writing to the table: the next call tries again.
          if (!SqlState.LOCK_NOT_AVAILABLE.equals(error.sqlState())) {
            throw error;
          }
        }
      }
    }
  }

  /** On a connection of its own, since it waits for the table's writers. */
  private void setReferentialIntegrity(QualifiedName table, boolean checked, int lockTimeoutMs)
      throws SQLException {
    Table found = findTable(table);
    if (found == null || found.getCheckForeignKeyConstraints() == checked) {
      return;
    }
    try (Connection connection = connections.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SET LOCK_TIMEOUT " + lockTimeoutMs);
      statement.execute(
          "ALTER TABLE "
              + Identifiers.alwaysQuote(table.schema())
              + '.'
              + Identifiers.alwaysQuote(table.name())
              + " SET REFERENTIAL_INTEGRITY "
              + (checked ? "TRUE NOCHECK" : "FALSE"));
    }
  }

  private Table findTable(QualifiedName table) {
    Schema schema = database.findSchema(table.schema());
    if (schema == null) {
      return null;
    }
    try {
      SessionLocal session = (SessionLocal) admin.unwrap(JdbcConnection.class).getSession();
      return schema.findTableOrView(session, table.name());
    } catch (SQLException e) {
      throw unreachable(e);
    }
  }

  @Override
  public void close() {
    syncThread.shutdown(); // Without an interrupt, which would close the database's file.
    try {
      admin.close();
    } catch (SQLException e) {
      throw unreachable(e);
    }
  }
}
