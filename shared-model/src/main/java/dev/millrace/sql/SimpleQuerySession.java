package dev.millrace.sql;

import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.settings.Settings;
import dev.millrace.sql.ParsedStatement.TransactionControl;
import dev.millrace.sql.TransactionBackend.StatementContext;
import java.util.ArrayList;
import java.util.List;

/**
 * The session both services give their clients: PostgreSQL's simple query protocol over a {@link
 * TransactionBackend}. Holds the state machine I, T, E, the implicit transaction of a call and the
 * savepoint stack.
 *
 * <pre>
 *         BEGIN                      error
 *   I ------------> T  ------------------------------> E
 *   ^               |  <------------------------------ |
 *   |  COMMIT,      |          ROLLBACK TO             |
 *   |  ROLLBACK     |                                  |
 *   +---------------+----------------------------------+
 *                              COMMIT, ROLLBACK
 * </pre>
 *
 * <p>A call is parsed whole before anything runs, so a syntax error anywhere leaves nothing done.
 * Outside a block the statements of a call share one implicit transaction, committed at the call's
 * end; BEGIN among them turns it into a block that includes what ran before, COMMIT and ROLLBACK
 * end it with a warning. One thread, except {@link #cancel}.
 */
public final class SimpleQuerySession implements SqlSession {

  private static final String STATEMENT_TOO_COMPLEX = "54001";

  private final long pid;
  private final TransactionBackend backend;
  private final SqlOptions options;
  private final Settings ownSettings;
  private final SettingCommands settings;
  private final TransactionBlock block;
  private List<Notice> notices = new ArrayList<>();

  /** A session whose backend answers SHOW and SET itself. */
  public SimpleQuerySession(long pid, TransactionBackend backend) {
    this(pid, backend, SqlOptions.PLAIN, null);
  }

  /**
   * @param settings the session's own settings ({@link Settings#forSession}), on which SHOW, SET
   *     and RESET work; null when the backend answers them
   */
  public SimpleQuerySession(
      long pid, TransactionBackend backend, SqlOptions options, Settings settings) {
    this.pid = pid;
    this.backend = backend;
    this.options = options;
    this.ownSettings = settings;
    this.settings = settings == null ? null : new SettingCommands(settings);
    this.block = new TransactionBlock(backend, this.settings);
  }

  @Override
  public long pid() {
    return pid;
  }

  @Override
  public TransactionStatus status() {
    return block.status();
  }

  @Override
  public Settings settings() {
    return ownSettings;
  }

  @Override
  public SqlResponse execute(String sql, List<Object> parameters) {
    notices = new ArrayList<>();
    try {
      List<ParsedStatement> statements = SqlParser.parseScript(sql, options);
      if (!parameters.isEmpty() && statements.size() != 1) {
        throw new PgException(
            SqlState.SYNTAX_ERROR, "cannot insert multiple commands into a prepared statement");
      }
      List<StatementResult> results = new ArrayList<>(statements.size());
      boolean definitionsChanged = false;
      for (ParsedStatement statement : statements) {
        boolean again = definitionsChanged || statement instanceof ParsedStatement.Unparsed;
        ParsedStatement current = again ? parsedAgain(statement) : statement;
        results.add(run(current, parameters, statements.size() == 1));
        definitionsChanged |= isDefinition(current);
      }
      block.endOfCall();
      return new SqlResponse(results, notices, block.status());
    } catch (StackOverflowError e) {
      PgException error =
          new PgException(STATEMENT_TOO_COMPLEX, "stack depth limit exceeded", e)
              .withHint("The statement nests more expressions than the database can follow.");
      block.failed(error);
      throw error;
    } catch (RuntimeException | Error e) {
      block.failed(e);
      throw e;
    }
  }

  private static boolean isDefinition(ParsedStatement statement) {
    return statement instanceof ParsedStatement.Ddl
        || statement instanceof ParsedStatement.CreateTableAs;
  }

  /** A statement behind DDL was rewritten without knowing the tables as they are now. */
  private ParsedStatement parsedAgain(ParsedStatement statement) {
    return SqlParser.parse(statement.original(), options).get(0);
  }

  private StatementResult run(ParsedStatement statement, List<Object> parameters, boolean alone) {
    if (statement instanceof TransactionControl control) {
      return StatementResult.ofCommand(block.control(control, alone, notices::add));
    }
    block.requireNotFailed();
    if (settings != null && statement instanceof ParsedStatement.Show show) {
      return settings.show(show.name(), block);
    }
    if (settings != null && statement instanceof ParsedStatement.SetParameter set) {
      return settings.set(set, block.isExplicit(), notices::add);
    }
    refuseInBlock(statement);
    block.ensureOpen();
    StatementContext context =
        new StatementContext(parameters, block.isExplicit(), alone, notices::add);
    if (statement instanceof ParsedStatement.CreateTableAs create) {
      return createTableAs(create, context);
    }
    if (statement instanceof ParsedStatement.Ddl ddl) {
      return define(ddl, context);
    }
    return backend.execute(statement, context);
  }

  private void refuseInBlock(ParsedStatement statement) {
    String command = null;
    if (statement instanceof ParsedStatement.Ddl ddl) {
      command = ddl.tag();
    } else if (statement instanceof ParsedStatement.CreateTableAs) {
      command = "CREATE TABLE AS";
    } else if (statement instanceof ParsedStatement.Maintenance maintenance
        && maintenance.tag().equals("VACUUM")) {
      command = "VACUUM";
    }
    if (command != null && block.isExplicit()) {
      throw new PgException(
          SqlState.ACTIVE_SQL_TRANSACTION, command + " cannot run inside a transaction block");
    }
  }

  /** The table first, by itself; then its rows. The table goes again when they fail. */
  private StatementResult createTableAs(
      ParsedStatement.CreateTableAs create, StatementContext context) {
    List<Notice> skipped = new ArrayList<>();
    StatementContext first =
        new StatementContext(
            List.of(),
            false,
            false,
            notice -> {
              skipped.add(notice);
              context.notices().accept(notice);
            });
    define(create.create(), first);
    if (!skipped.isEmpty() || create.fill() == null) {
      return StatementResult.ofCommand("CREATE TABLE AS");
    }
    try {
      block.ensureOpen();
      return backend.execute(create.fill(), context);
    } catch (RuntimeException e) {
      dropAgain(create, context, e);
      throw e;
    }
  }

  private void dropAgain(
      ParsedStatement.CreateTableAs create, StatementContext context, RuntimeException cause) {
    try {
      block.restart();
      String drop = "DROP TABLE " + create.create().target().quoted();
      backend.execute(SqlParser.parse(drop, options).get(0), context);
    } catch (RuntimeException e) {
      cause.addSuppressed(e);
    }
  }

  /** A name PostgreSQL would have made up and that is taken gets a number, as there. */
  private StatementResult define(ParsedStatement.Ddl ddl, StatementContext context) {
    ParsedStatement.Ddl attempt = ddl;
    for (int number = 1; ; number++) {
      try {
        return backend.execute(attempt, context);
      } catch (PgException e) {
        ParsedStatement.Ddl next = TakenNames.renumbered(attempt, e, options, number);
        if (next == null) {
          throw e;
        }
        attempt = next;
        block.ensureOpen();
      }
    }
  }

  @Override
  public void notice(Notice notice) {
    notices.add(notice);
  }

  @Override
  public void cancel() {
    backend.cancel();
  }

  @Override
  public void close() {
    try {
      block.close();
    } finally {
      backend.close();
    }
  }
}
