package dev.millrace.subscriber.session;

import dev.millrace.model.Notice;
import dev.millrace.sql.ParsedStatement;
import dev.millrace.subscriber.command.SubscriptionCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The SUBSCRIPTION commands of an open transaction block. The catalogue is changed by transactions
 * of its own, so each is tried at once, after those before it, and all are done at the block's
 * commit; until then the views do not show them. One thread.
 */
final class BlockCommands {

  private final SubscriptionCommands commands;
  private final List<ParsedStatement> statements = new ArrayList<>();

  /** How many statements there were at each open savepoint. */
  private final List<Integer> savepoints = new ArrayList<>();

  BlockCommands(SubscriptionCommands commands) {
    this.commands = commands;
  }

  /** Returns the command's tag; it is refused now or, as good as always, not at all. */
  String add(ParsedStatement statement, Consumer<Notice> notices) {
    List<ParsedStatement> tried = new ArrayList<>(statements);
    tried.add(statement);
    String tag = commands.rehearse(tried, notices);
    statements.add(statement);
    return tag;
  }

  /** Does them, as one transaction. */
  void run() {
    if (!statements.isEmpty()) {
      commands.runTogether(statements);
    }
    clear();
  }

  void clear() {
    statements.clear();
    savepoints.clear();
  }

  void savepoint() {
    savepoints.add(statements.size());
  }

  /** Back to savepoint {@code level}, which stays. */
  void rollbackTo(int level) {
    statements.subList(savepoints.get(level - 1), statements.size()).clear();
    savepoints.subList(level, savepoints.size()).clear();
  }

  void release(int level) {
    savepoints.subList(level - 1, savepoints.size()).clear();
  }
}
