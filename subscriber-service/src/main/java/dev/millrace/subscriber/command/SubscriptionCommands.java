package dev.millrace.subscriber.command;

import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.sql.ParsedStatement;
import dev.millrace.sql.ParsedStatement.AlterSubscription;
import dev.millrace.sql.ParsedStatement.CreateSubscription;
import dev.millrace.sql.ParsedStatement.DropSubscription;
import dev.millrace.subscriber.catalog.Subscription;
import dev.millrace.subscriber.catalog.SubscriptionCatalog;
import dev.millrace.subscriber.catalog.SubscriptionStore;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
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
  private final SubscriptionCatalog catalog;
  private final SubscriptionStore store;
  private final ReentrantLock[] locks = new ReentrantLock[LOCKS];

  SubscriptionCommands(CommandServices services) {
    catalog = services.catalog();
    store = services.store();
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
   * Tries the last command of a transaction block after those before it, and undoes them all: what
   * is wrong with it is said at once, what it does happens when the block commits.
   *
   * @return its tag
   * @throws PgException 25001 for what PostgreSQL refuses in a block: whatever changes slots
   */
  public String rehearse(List<ParsedStatement> block, Consumer<Notice> notices) {
    int last = block.size() - 1;
    String[] tag = new String[1];
    store.together(
        false,
        () -> {
          block.subList(0, last).forEach(statement -> run(statement, notice -> {}));
          refuseInBlock(block.get(last));
          tag[0] = run(block.get(last), notices);
        });
    return tag[0];
  }

  /** Runs the commands of a block as one transaction. */
  public void runTogether(List<ParsedStatement> block) {
    store.together(true, () -> block.forEach(statement -> run(statement, notice -> {})));
  }

  private void refuseInBlock(ParsedStatement statement) {
    String form = refusedForm(statement);
    if (form != null) {
      throw new PgException(
          SqlState.ACTIVE_SQL_TRANSACTION, form + " cannot run inside a transaction block");
    }
  }

  /** In PostgreSQL's words, or null for a command that a block may hold. */
  private String refusedForm(ParsedStatement statement) {
    if (statement instanceof CreateSubscription create) {
      boolean slot =
          !isFalse(create.options(), "create_slot") && !isFalse(create.options(), "connect");
      return slot ? "CREATE SUBSCRIPTION ... WITH (create_slot = true)" : null;
    }
    if (statement instanceof AlterSubscription alter) {
      return switch (alter.action()) {
        case REFRESH_PUBLICATION -> "ALTER SUBSCRIPTION ... REFRESH";
        case SET_PUBLICATION, ADD_PUBLICATION, DROP_PUBLICATION ->
            isFalse(alter.options(), "refresh") ? null : "ALTER SUBSCRIPTION with refresh";
        case SET_OPTIONS -> refusedOption(alter.options());
        default -> null;
      };
    }
    Subscription dropped = catalog.subscription(((DropSubscription) statement).name());
    return dropped == null || dropped.slotName() == null ? null : "DROP SUBSCRIPTION";
  }

  private static String refusedOption(Map<String, String> options) {
    for (String option : List.of("two_phase", "failover")) {
      if (options.containsKey(option)) {
        return "ALTER SUBSCRIPTION ... SET (" + option + ")";
      }
    }
    return null;
  }

  private static boolean isFalse(Map<String, String> options, String name) {
    return options.get(name) != null && OptionValues.isFalse(options.get(name));
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
