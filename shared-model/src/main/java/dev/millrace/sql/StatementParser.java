package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.Locale;
import java.util.Map;

/** Finds out by its first words what a statement is and hands it to that grammar. */
final class StatementParser {

  /** Statements of PostgreSQL that the embedded database has nothing for. */
  private static final Map<String, String> UNSUPPORTED =
      Map.ofEntries(
          Map.entry("copy", "COPY is"),
          Map.entry("do", "DO is"),
          Map.entry("call", "CALL is"),
          Map.entry("explain", "EXPLAIN is"),
          Map.entry("prepare", "PREPARE is"),
          Map.entry("execute", "EXECUTE is"),
          Map.entry("deallocate", "DEALLOCATE is"),
          Map.entry("declare", "cursors are"),
          Map.entry("fetch", "cursors are"),
          Map.entry("move", "cursors are"),
          Map.entry("close", "cursors are"),
          Map.entry("grant", "GRANT is"),
          Map.entry("revoke", "REVOKE is"),
          Map.entry("listen", "LISTEN is"),
          Map.entry("notify", "NOTIFY is"),
          Map.entry("unlisten", "UNLISTEN is"),
          Map.entry("lock", "LOCK TABLE is"),
          Map.entry("cluster", "CLUSTER is"),
          Map.entry("reindex", "REINDEX is"),
          Map.entry("discard", "DISCARD is"),
          Map.entry("load", "LOAD is"),
          Map.entry("security", "SECURITY LABEL is"),
          Map.entry("import", "IMPORT FOREIGN SCHEMA is"),
          Map.entry("refresh", "REFRESH MATERIALIZED VIEW is"),
          Map.entry("reassign", "REASSIGN OWNED is"));

  private final TokenStream stream;
  private final SqlOptions options;

  StatementParser(TokenStream stream, SqlOptions options) {
    this.stream = stream;
    this.options = options;
  }

  ParsedStatement parse() {
    Token first = stream.peek();
    if (first.isMark('(')) {
      return new QueryGrammar(stream, options).query();
    }
    if (first.kind() != Token.Kind.WORD) {
      throw stream.unexpected();
    }
    switch (first.text()) {
      case "insert", "update", "delete", "merge":
        checkRowIdColumn();
        return new ReturningGrammar(stream, options).parse();
      case "select", "values", "table", "with":
        return new QueryGrammar(stream, options).query();
      case "begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release":
        return new TransactionGrammar(stream).parse();
      case "prepare":
        if (stream.peek(1).isWord("transaction")) {
          return new TransactionGrammar(stream).parse();
        }
        throw unsupported(first);
      case "set":
        return stream.peek(1).isWord("transaction")
            ? new TransactionGrammar(stream).parse()
            : new SettingGrammar(stream).parse();
      case "show", "reset":
        return new SettingGrammar(stream).parse();
      case "create", "alter", "drop":
        checkRowIdColumn();
        return definition();
      case "truncate":
        return truncate();
      case "comment":
        return new TableGrammar(stream, options).comment();
      case "vacuum", "analyze", "analyse", "checkpoint":
        return maintenance(first.text());
      default:
        throw unsupported(first);
    }
  }

  /** Redo finds rows by that column, so nobody else may make, write, rename or drop one. */
  private void checkRowIdColumn() {
    if (!options.rowIdColumn()) {
      return;
    }
    for (int i = stream.index(); i < stream.limit(); i++) {
      Token token = stream.token(i);
      if (token.kind() == Token.Kind.QUOTED && token.text().equals(SqlOptions.ROW_ID_COLUMN)) {
        throw stream.error(
            SqlState.RESERVED_NAME,
            "column name \"" + SqlOptions.ROW_ID_COLUMN + "\" is reserved",
            token);
      }
    }
  }

  private PgException unsupported(Token first) {
    String refusal = UNSUPPORTED.get(first.text());
    return refusal == null ? stream.unexpected(first) : stream.unsupported(refusal, first);
  }

  private ParsedStatement definition() {
    Token verb = stream.next();
    Token object = stream.peek();
    boolean create = verb.isWord("create");
    boolean alter = verb.isWord("alter");
    if (object.isWord("publication")) {
      return new PublicationGrammar(stream, options).parse(verb.text());
    }
    if (object.isWord("subscription")) {
      return new SubscriptionGrammar(stream).parse(verb.text());
    }
    if (object.isWord("table")) {
      return create
          ? new CreateTableGrammar(stream, options).parse()
          : alter
              ? new AlterTableGrammar(stream, options).parse()
              : new TableGrammar(stream, options).drop(ParsedStatement.Ddl.Kind.DROP_TABLE);
    }
    if (object.isWord("index") || create && stream.areWords("unique", "index")) {
      return new IndexGrammar(stream, options).parse(verb.text());
    }
    if (object.isWord("type") || object.isWord("domain")) {
      return new TypeGrammar(stream, options).parse(verb.text());
    }
    if (object.isWord("schema")) {
      return new SchemaGrammar(stream).parse(verb.text());
    }
    if (object.isWord("sequence")) {
      return new SequenceGrammar(stream).parse(verb.text());
    }
    if (object.isWord("view") || create && stream.areWords("or", "replace", "view")) {
      return new TableGrammar(stream, options).view(verb.text());
    }
    throw unsupportedObject(verb, object);
  }

  private PgException unsupportedObject(Token verb, Token object) {
    if (object.kind() != Token.Kind.WORD || stream.atEnd()) {
      return stream.unexpected();
    }
    String what = object.text().toUpperCase(Locale.ROOT);
    switch (object.text()) {
      case "temp", "temporary":
        return stream.unsupported("temporary tables are", object);
      case "unlogged":
        return stream.unsupported("unlogged tables are", object);
      case "materialized":
        return stream.unsupported("materialized views are", object);
      case "foreign",
      "event",
      "text",
      "access",
      "or",
      "trusted",
      "default",
      "user",
      "database",
      "role",
      "group",
      "function",
      "procedure",
      "routine",
      "trigger",
      "rule",
      "extension",
      "server",
      "aggregate",
      "cast",
      "collation",
      "conversion",
      "language",
      "operator",
      "policy",
      "statistics",
      "tablespace",
      "transform",
      "system",
      "large",
      "owned",
      "constraint",
      "recursive",
      "global",
      "local":
        return stream.unsupported(
            verb.text().toUpperCase(Locale.ROOT) + " " + what + " is", object);
      default:
        return stream.unexpected(object);
    }
  }

  private ParsedStatement truncate() {
    stream.expect("truncate");
    stream.accept("table");
    java.util.List<dev.millrace.model.QualifiedName> tables = new java.util.ArrayList<>();
    do {
      stream.accept("only");
      tables.add(stream.qualifiedName());
      if (!stream.atEnd() && stream.peek().isOperator("*")) {
        stream.next();
      }
    } while (stream.acceptMark(','));
    boolean restart = stream.accept("restart", "identity");
    if (!restart) {
      stream.accept("continue", "identity");
    }
    boolean cascade = stream.accept("cascade");
    if (!cascade) {
      stream.accept("restrict");
    }
    stream.expectEnd();
    tables.forEach(SystemSchemas::checkWritable);
    return new ParsedStatement.Truncate(stream.original(), tables, cascade, restart);
  }

  /** VACUUM, ANALYZE, CHECKPOINT: nothing H2 needs to be told; options are not looked at. */
  private ParsedStatement maintenance(String verb) {
    stream.next();
    String tag = verb.equals("analyse") ? "ANALYZE" : verb.toUpperCase(Locale.ROOT);
    if (tag.equals("CHECKPOINT")) {
      stream.expectEnd();
    }
    return new ParsedStatement.Maintenance(stream.original(), tag);
  }

  static PgException reserved(String message) {
    return new PgException(SqlState.RESERVED_NAME, message);
  }
}
