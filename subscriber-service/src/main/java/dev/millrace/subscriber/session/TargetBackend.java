package dev.millrace.subscriber.session;

import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import dev.millrace.settings.Settings;
import dev.millrace.sql.H2Backend;
import dev.millrace.sql.H2Errors;
import dev.millrace.sql.ParsedStatement;
import dev.millrace.sql.ParsedStatement.AlterReplicaIdentity;
import dev.millrace.sql.ParsedStatement.Ddl;
import dev.millrace.sql.StatementResult;
import dev.millrace.subscriber.catalog.LocalRelation;
import dev.millrace.subscriber.command.SubscriptionCommands;
import dev.millrace.subscriber.target.DefinitionLocks;
import dev.millrace.subscriber.target.FirstWrites;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * A session on the target database: plain H2, and the statements that concern replication. DDL runs
 * on a connection of its own as a user who may change schemas, and tells the workers that
 * definitions have changed. One thread, except {@link #cancel}.
 */
final class TargetBackend extends H2Backend {

  private static final Set<String> OWN_SCHEMAS = Set.of("millrace", "pg_catalog_millrace");
  private static final Pattern OWN_SCHEMA_NAMED =
      Pattern.compile("(?i)(?<![\\w$])\"?(pg_catalog_)?millrace\"?\\s*\\.");

  /** One turn of waiting for DDL: between two the session looks whether it has to stop. */
  private static final long WRITE_TURN_MS = 100;

  /** How long DDL waits for writers where lock_timeout sets no limit. */
  private static final long LONGEST_DEFINITION_WAIT_MS = 60_000;

  private final SessionServices services;
  private final Settings settings;
  private final FirstWrites firstWrites;
  private final BlockCommands block;
  private Connection owner;
  private boolean hasWritten;

  TargetBackend(SessionServices services, Settings settings) {
    super(services.users().openSession(), settings);
    this.services = services;
    this.block = new BlockCommands(services.commands());
    this.settings = settings;
    this.firstWrites = services.target().firstWrites();
  }

  @Override
  protected StatementResult dispatch(ParsedStatement statement, StatementContext context) {
    if (SubscriptionCommands.runs(statement)) {
      return command(statement, context);
    }
    if (statement instanceof AlterReplicaIdentity alter) {
      return alterReplicaIdentity(alter, context);
    }
    return super.dispatch(statement, context);
  }

  @Override
  protected <R> R writing(QualifiedName table, Supplier<R> statement) {
    hasWritten = true;
    return firstWrites.write(table, WRITE_TURN_MS, statement);
  }

  /**
   * The commands of a block are committed just before its rows: a crash between the two leaves the
   * commands done and the rows not.
   */
  @Override
  public void commit() {
    try {
      block.run();
    } catch (RuntimeException e) {
      rollback();
      throw e;
    }
    super.commit();
    firstWrites.clear();
    if (hasWritten) {
      hasWritten = false;
      // H2 says a commit is done before it is on disk; a client must not hear so earlier.
      makeDurable();
    }
  }

  private void makeDurable() {
    try {
      services.target().makeDurable();
    } catch (PgException e) {
      throw e.withDetail(
          "The transaction has already committed, and is not on disk yet: it survives if the"
              + " service does.");
    }
  }

  @Override
  public void rollback() {
    block.clear();
    firstWrites.clear();
    hasWritten = false;
    super.rollback();
  }

  /**
   * The catalogue is changed by transactions of its own, so a command stands outside the session's:
   * it ends an implicit one before it, and in a block it waits for the commit.
   */
  private StatementResult command(ParsedStatement statement, StatementContext context) {
    services.target().requireRoom();
    if (context.explicitBlock()) {
      return StatementResult.ofCommand(block.add(statement, context.notices()));
    }
    commit();
    try {
      return StatementResult.ofCommand(services.commands().run(statement, context.notices()));
    } finally {
      begin(null, false);
    }
  }

  @Override
  public void savepoint(int level) {
    super.savepoint(level);
    block.savepoint();
  }

  @Override
  public void rollbackToSavepoint(int level) {
    super.rollbackToSavepoint(level);
    block.rollbackTo(level);
  }

  @Override
  public void releaseSavepoint(int level) {
    super.releaseSavepoint(level);
    block.release(level);
  }

  private StatementResult alterReplicaIdentity(
      AlterReplicaIdentity alter, StatementContext context) {
    if (context.explicitBlock()) {
      throw new PgException(
          SqlState.ACTIVE_SQL_TRANSACTION,
          "ALTER TABLE .. REPLICA IDENTITY cannot run inside a transaction block");
    }
    services.target().requireRoom();
    ReplicaIdentityCheck.check(alter, services.definitions().relation(alter.table()));
    services.relations().setReplicaIdentity(alter.table(), alter.identity(), alter.indexName());
    services.target().definitionChanged();
    return StatementResult.ofCommand("ALTER TABLE");
  }

  @Override
  protected void runDefinition(Ddl ddl) {
    for (QualifiedName target : ddl.targets()) {
      refuseOwnSchema(target.schema());
    }
    if (ddl.newName() != null) {
      refuseOwnSchema(ddl.newName().schema());
    }
    ddl.refuseRenameOfTypes(services.target().types().keySet());
    if (OWN_SCHEMA_NAMED.matcher(ddl.original()).find()) {
      throw denied("millrace");
    }
    services.target().requireRoom();
    try (DefinitionLocks.Hold hold = definitionLock(ddl)) {
      define(ddl);
    }
  }

  private DefinitionLocks.Hold definitionLock(Ddl ddl) {
    long lockTimeoutMs = settings.getMillis("lock_timeout");
    return services
        .target()
        .definitionLocks()
        .define(ddl.targets(), lockTimeoutMs > 0 ? lockTimeoutMs : LONGEST_DEFINITION_WAIT_MS);
  }

  private void define(Ddl ddl) {
    if (ddl.kind() == Ddl.Kind.ALTER_TABLE) {
      ddl.targets().forEach(services.typeTriggers()::drop);
    }
    try {
      super.runDefinition(ddl);
      services.target().definitionChanged();
      keepOids(ddl);
      services.target().makeDurable();
    } finally {
      services.target().definitionChanged();
      renewTypeTriggers(ddl);
    }
  }

  private void renewTypeTriggers(Ddl ddl) {
    if (ddl.kind() == Ddl.Kind.CREATE_TABLE || ddl.kind() == Ddl.Kind.ALTER_TABLE) {
      List<QualifiedName> tables = new ArrayList<>(ddl.targets());
      if (ddl.newName() != null) {
        tables.add(ddl.newName());
      }
      services.typeTriggers().addMissing(tables);
    }
  }

  private void keepOids(Ddl ddl) {
    switch (ddl.kind()) {
      case CREATE_SCHEMA -> services.users().openSchemas();
      case DROP_TABLE, DROP_SCHEMA -> services.definitions().forgetDropped();
      default -> renamed(ddl);
    }
  }

  private void renamed(Ddl ddl) {
    ddl.renames().forEach((from, to) -> identityIndexRenamed(ddl.target(), from, to));
    if (ddl.newName() == null) {
      return;
    }
    if (ddl.tag().equals("ALTER SCHEMA")) {
      services.relations().renameSchema(ddl.target().schema(), ddl.newName().schema());
      services.users().openSchemas();
    } else {
      services.relations().rename(ddl.target(), ddl.newName());
      identityIndexRenamed(ddl.target(), ddl.target().name(), ddl.newName().name());
    }
    services.target().definitionChanged();
  }

  /** REPLICA IDENTITY USING INDEX follows its index to a new name. */
  private void identityIndexRenamed(QualifiedName target, String from, String to) {
    for (LocalRelation relation : services.relations().all()) {
      if (relation.name().schema().equals(target.schema())
          && from.equals(relation.identityIndex())) {
        services.relations().setReplicaIdentity(relation.name(), relation.replicaIdentity(), to);
      }
    }
  }

  private static void refuseOwnSchema(String schema) {
    if (OWN_SCHEMAS.contains(schema)) {
      throw denied(schema);
    }
  }

  private static PgException denied(String schema) {
    return new PgException(
        SqlState.INSUFFICIENT_PRIVILEGE, "permission denied for schema " + schema);
  }

  @Override
  protected Connection definitionConnection() {
    if (owner == null) {
      owner = services.users().openOwner();
    }
    return owner;
  }

  @Override
  public void close() {
    try {
      if (owner != null) {
        owner.close();
      }
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    } finally {
      super.close();
    }
  }
}
