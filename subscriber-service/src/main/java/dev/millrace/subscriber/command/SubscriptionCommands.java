package dev.millrace.subscriber.command;

import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.sql.ParsedStatement;
import dev.millrace.sql.ParsedStatement.AlterSubscription;
import dev.millrace.sql.ParsedStatement.CreateSubscription;
import dev.millrace.sql.ParsedStatement.DropSubscription;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Runs CREATE, ALTER and DROP SUBSCRIPTION, for SQL and REST alike; one at a time for each
 * subscription. Safe for any thread.
 */
public final class SubscriptionCommands {

  /** Names share locks, so that there is a bound on their number. */
  private static final int LOCKS = 64;

  private final CreateSubscriptionCommand create;
  private final AlterSubscriptionCommand alter;
  private final DropSubscriptionCommand drop;
  private final ReentrantLock[] locks = new ReentrantLock[LOCKS];

  SubscriptionCommands(CommandServices services) {
    create = new CreateSubscriptionCommand(services);
    alter = new AlterSubscriptionCommand(services);
    drop = new DropSubscriptionCommand(services);
    Arrays.setAll(locks, i -> new ReentrantLock());
  }

  /** Whether the statement is one of these commands. */
  public static boolean runs(ParsedStatement statement) {
    return statement instanceof CreateSubscription
        || statement instanceof AlterSubscription
        || statement instanceof DropSubscription;
  }

  /**
   * The catalogue does not take part in a session's transaction, so no command runs inside a block.
   *
   * @throws PgException 25001 with PostgreSQL's text for the form that it refuses, too
   */
  public void refuseInBlock(ParsedStatement statement, boolean explicitBlock) {
    if (explicitBlock) {
      throw new PgException(
          SqlState.ACTIVE_SQL_TRANSACTION,
          form(statement) + " cannot run inside a transaction block");
    }
  }

  private static String form(ParsedStatement statement) {
    if (statement instanceof CreateSubscription create) {
      boolean slot =
          !"false".equalsIgnoreCase(create.options().get("create_slot"))
              && !"false".equalsIgnoreCase(create.options().get("connect"));
      return slot ? "CREATE SUBSCRIPTION ... WITH (create_slot = true)" : "CREATE SUBSCRIPTION";
    }
    if (statement instanceof AlterSubscription alter) {
      switch (alter.action()) {
        case REFRESH_PUBLICATION:
          return "ALTER SUBSCRIPTION ... REFRESH";
        case SET_PUBLICATION, ADD_PUBLICATION, DROP_PUBLICATION:
          return "ALTER SUBSCRIPTION with refresh";
        default:
          return "ALTER SUBSCRIPTION";
      }
    }
    return "DROP SUBSCRIPTION";
  }

  /** Runs a command and returns its tag. */
  public String run(ParsedStatement statement, Consumer<Notice> notices) {
    if (statement instanceof CreateSubscription command) {
      locked(command.name(), () -> create.run(command, notices));
      return "CREATE SUBSCRIPTION";
    }
    if (statement instanceof AlterSubscription command) {
      locked(command.name(), () -> alter.run(command, notices));
      return "ALTER SUBSCRIPTION";
    }
    DropSubscription command = (DropSubscription) statement;
    locked(command.name(), () -> drop.run(command, notices));
    return "DROP SUBSCRIPTION";
  }

  private void locked(String name, Runnable command) {
    ReentrantLock lock = locks[Math.floorMod(name.hashCode(), LOCKS)];
    lock.lock();
    try {
      command.run();
    } finally {
      lock.unlock();
    }
  }
}
