package dev.millrace.replication;

import dev.millrace.model.Identifiers;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import dev.millrace.replication.ReplicationCommand.AlterReplicationSlot;
import dev.millrace.replication.ReplicationCommand.CopyToStdout;
import dev.millrace.replication.ReplicationCommand.CreateReplicationSlot;
import dev.millrace.replication.ReplicationCommand.DropReplicationSlot;
import dev.millrace.replication.ReplicationCommand.IdentifySystem;
import dev.millrace.replication.ReplicationCommand.ReadReplicationSlot;
import dev.millrace.replication.ReplicationCommand.Show;
import dev.millrace.replication.ReplicationCommand.Sql;
import dev.millrace.replication.ReplicationCommand.StartLogicalReplication;
import dev.millrace.replication.ReplicationCommand.StartPhysicalReplication;
import dev.millrace.sql.ParsedStatement;
import dev.millrace.sql.SqlOptions;
import dev.millrace.sql.SqlParser;
import dev.millrace.sql.Token;
import dev.millrace.sql.TokenStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reads the text frames of a walsender session by PostgreSQL's replication grammar (repl_gram.y),
 * with the option lists of version 15 and later and the bare words before them. What begins with no
 * replication keyword is SQL. Stateless; any thread.
 */
public final class ReplicationCommandParser {

  private final TokenStream stream;
  private final SqlOptions options;

  private ReplicationCommandParser(TokenStream stream, SqlOptions options) {
    this.stream = stream;
    this.options = options;
  }

  /** As {@link #parse(String, SqlOptions)} with {@link SqlOptions#PLAIN}. */
  public static ReplicationCommand parse(String text) {
    return parse(text, SqlOptions.PLAIN);
  }

  /**
   * The command in {@code text}; a semicolon may end it.
   *
   * @param options for the SQL among the commands
   * @throws PgException 42601 with the position when it is none, or holds several statements; 0A000
   *     for commands that are not built
   */
  public static ReplicationCommand parse(String text, SqlOptions options) {
    TokenStream stream = TokenStream.ofReplicationCommand(text);
    return new ReplicationCommandParser(stream, options).command(text);
  }

  private ReplicationCommand command(String text) {
    Token first = stream.peek();
    if (first.kind() != Token.Kind.WORD) {
      return sql(text);
    }
    switch (first.text()) {
      case "identify_system":
        stream.next();
        return end(new IdentifySystem());
      case "show":
        return show();
      case "read_replication_slot":
        stream.next();
        return end(new ReadReplicationSlot(stream.name()));
      case "create_replication_slot":
        return end(create());
      case "alter_replication_slot":
        stream.next();
        return end(new AlterReplicationSlot(stream.name(), optionList()));
      case "drop_replication_slot":
        stream.next();
        return end(new DropReplicationSlot(stream.name(), stream.accept("wait")));
      case "start_replication":
        return end(start());
      case "copy":
        return end(copy());
      case "base_backup", "timeline_history", "upload_manifest":
        throw unsupported(first.text().toUpperCase(Locale.ROOT) + " is not supported", first);
      default:
        return sql(text);
    }
  }

  private <C extends ReplicationCommand> C end(C command) {
    stream.acceptMark(';');
    stream.expectEnd();
    return command;
  }

  private ReplicationCommand sql(String text) {
    List<ParsedStatement> statements = SqlParser.parse(text, options);
    if (statements.size() != 1) {
      throw new PgException(
          SqlState.SYNTAX_ERROR,
          statements.isEmpty()
              ? "empty command"
              : "cannot run several commands in one replication command");
    }
    return new Sql(statements.get(0));
  }

  private Show show() {
    ReplicationCommand parsed = sql(stream.original());
    return new Show(((ParsedStatement.Show) ((Sql) parsed).statement()).name());
  }

  private CreateReplicationSlot create() {
    stream.next();
    String slot = stream.name();
    boolean temporary = stream.accept("temporary");
    boolean logical = stream.accept("logical");
    String plugin = null;
    if (logical) {
      plugin = stream.name();
    } else {
      stream.expect("physical");
    }
    Map<String, String> slotOptions = stream.isMark('(') ? optionList() : bareOptions(logical);
    return new CreateReplicationSlot(slot, temporary, plugin, slotOptions);
  }

  /** The spelling before version 15: bare words in any order. */
  private Map<String, String> bareOptions(boolean logical) {
    Map<String, String> found = new LinkedHashMap<>();
    while (!stream.atEnd() && !stream.isMark(';')) {
      Token start = stream.peek();
      String previous;
      if (logical && stream.accept("export_snapshot")) {
        previous = found.put("snapshot", "export");
      } else if (logical && stream.accept("noexport_snapshot")) {
        previous = found.put("snapshot", "nothing");
      } else if (logical && stream.accept("use_snapshot")) {
        previous = found.put("snapshot", "use");
      } else if (logical && stream.accept("two_phase")) {
        previous = found.put("two_phase", "");
      } else if (!logical && stream.accept("reserve_wal")) {
        previous = found.put("reserve_wal", "");
      } else {
        throw stream.unexpected();
      }
      if (previous != null) {
        throw redundant(start);
      }
    }
    return found;
  }

  private ReplicationCommand start() {
    stream.next();
    String slot = stream.accept("slot") ? stream.name() : null;
    if (slot != null && stream.accept("logical")) {
      long startLsn = lsn();
      return new StartLogicalReplication(
          slot, startLsn, stream.isMark('(') ? optionList() : Map.of());
    }
    stream.accept("physical");
    long startLsn = lsn();
    int timeline = 0;
    if (stream.accept("timeline")) {
      Token number = stream.next();
      try {
        timeline = Integer.parseInt(number.text());
      } catch (NumberFormatException e) {
        throw stream.unexpected(number);
      }
      if (timeline <= 0) {
        throw stream.error(SqlState.SYNTAX_ERROR, "invalid timeline " + number.text(), number);
      }
    }
    return new StartPhysicalReplication(slot, startLsn, timeline);
  }

  /** {@code X/X}: the lexer may have cut it into numbers, words and the slash. */
  private long lsn() {
    Token first = stream.peek();
    StringBuilder text = new StringBuilder();
    int end = first.start();
    while (!stream.atEnd()
        && stream.peek().start() == end
        && !stream.isMark('(')
        && !stream.isMark(';')) {
      Token token = stream.next();
      text.append(token.written());
      end = token.end();
    }
    try {
      return Lsn.parse(text.toString()).value();
    } catch (PgException e) {
      throw stream.unexpected(first);
    }
  }

  /** {@code (name ['value'], ..)}; a value may be a string, a number or a word. */
  private Map<String, String> optionList() {
    Map<String, String> found = new LinkedHashMap<>();
    stream.expectMark('(');
    do {
      Token start = stream.peek();
      String name = stream.label().toLowerCase(Locale.ROOT);
      String value = "";
      if (!stream.atEnd() && !stream.isMark(',') && !stream.isMark(')')) {
        value = optionValue();
      }
      if (found.put(name, value) != null) {
        throw redundant(start);
      }
    } while (stream.acceptMark(','));
    stream.expectMark(')');
    return found;
  }

  private String optionValue() {
    Token token = stream.next();
    switch (token.kind()) {
      case STRING, NUMBER, WORD, QUOTED:
        return token.text();
      default:
        throw stream.unexpected(token);
    }
  }

  private CopyToStdout copy() {
    stream.next();
    QualifiedName table = null;
    List<String> columns = null;
    String query = null;
    if (stream.isMark('(')) {
      query = bracketed();
    } else {
      table = stream.qualifiedName();
      columns = stream.isMark('(') ? stream.nameList() : null;
    }
    Token direction = stream.peek();
    if (stream.accept("from")) {
      throw unsupported("COPY .. FROM is not supported", direction);
    }
    stream.expect("to");
    Token target = stream.peek();
    if (!stream.accept("stdout")) {
      boolean file = target.kind() == Token.Kind.STRING || stream.isWord("program");
      throw file ? unsupported("COPY to a file is not supported", target) : stream.unexpected();
    }
    boolean with = stream.accept("with");
    Map<String, String> copyOptions = with || stream.isMark('(') ? optionList() : Map.of();
    return new CopyToStdout(table, columns, query, copyOptions);
  }

  /** The text between the brackets at the stream, which moves behind them. */
  private String bracketed() {
    Token open = stream.next();
    int depth = 1;
    Token token = open;
    while (depth > 0) {
      token = stream.next();
      if (token.isMark('(')) {
        depth++;
      } else if (token.isMark(')')) {
        depth--;
      }
    }
    return stream.original().substring(open.end() - offset(), token.start() - offset()).strip();
  }

  private int offset() {
    return stream.first().start();
  }

  private PgException redundant(Token token) {
    return stream.error(SqlState.SYNTAX_ERROR, "conflicting or redundant options", token);
  }

  private PgException unsupported(String message, Token token) {
    return stream.error(SqlState.FEATURE_NOT_SUPPORTED, message, token);
  }

  /** The option list of START_REPLICATION as a client writes it; values are quoted. */
  public static String formatOptions(Map<String, String> options) {
    StringBuilder text = new StringBuilder("(");
    options.forEach(
        (name, value) -> {
          text.append(text.length() == 1 ? "" : ", ").append(Identifiers.quote(name));
          if (!value.isEmpty()) {
            text.append(' ').append(Identifiers.literal(value));
          }
        });
    return text.append(')').toString();
  }
}
