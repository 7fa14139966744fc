package dev.millrace.sql;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.Identifiers;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.sql.ParsedStatement.Dml;
import java.util.ArrayList;
import java.util.List;

/** INSERT, UPDATE, DELETE and MERGE, without RETURNING ({@link ReturningGrammar}). */
final class DmlGrammar {

  private final TokenStream stream;
  private final SqlOptions options;
  private final ExpressionRewriter rewriter;
  private final ColumnConstants constants;
  private final int first;
  private String visibleName;
  private boolean joins;

  DmlGrammar(TokenStream stream, SqlOptions options) {
    this.stream = stream;
    this.options = options;
    this.rewriter = new ExpressionRewriter(stream, options, true);
    this.constants = new ColumnConstants(stream, options, rewriter);
    this.first = stream.index();
  }

  Dml parse() {
    switch (stream.next().text()) {
      case "insert":
        return insert();
      case "update":
        return update();
      case "delete":
        return delete();
      default:
        return merge();
    }
  }

  /** The name under which expressions know the changed table. */
  String visibleName() {
    return visibleName;
  }

  /** Whether an UPDATE reads other tables too. */
  boolean joins() {
    return joins;
  }

  private Dml insert() {
    stream.expect("into");
    QualifiedName target = target();
    int lastOfTarget = stream.index() - 1;
    insertAlias();
    List<String> columns = columnList();
    String overriding = overriding();
    int source = stream.index();
    boolean many;
    if (stream.accept("default", "values")) {
      many = false;
    } else if (stream.isWord("values")) {
      if (columns == null) {
        nameMissingColumns(target, lastOfTarget);
      }
      many = values(target, columns);
    } else if (stream.isWord("select")
        || stream.isWord("with")
        || stream.isWord("table")
        || stream.isMark('(')) {
      if (columns == null) {
        nameMissingColumns(target, lastOfTarget);
      }
      many = true;
      skipQuery();
    } else {
      throw stream.unexpected();
    }
    if (!stream.areWords("on", "conflict")) {
      stream.expectEnd();
      return dml(target, true, false, false, many, "INSERT 0");
    }
    int behindSource = stream.index();
    ConflictGrammar conflict = new ConflictGrammar(stream, options, target, visibleName);
    if (conflict.parse()) {
      String h2Sql = rewriter.rewrite(first, behindSource, "dml") + " ON CONFLICT DO NOTHING";
      return new Dml(stream.original(), h2Sql, target, true, false, false, many, "INSERT 0");
    }
    return conflict.merge(new InsertSource(columns, overriding, source, behindSource), many);
  }

  /** H2 knows no alias here; only ON CONFLICT and RETURNING can use it. */
  private void insertAlias() {
    if (stream.isWord("as")) {
      rewriter.replaceToken(stream.index(), "");
      rewriter.replaceToken(stream.index() + 1, "");
      stream.next();
      visibleName = stream.name();
    }
  }

  /**
   * {@code OVERRIDING SYSTEM VALUE}; here VALUE is no name, so it must not be quoted for H2.
   *
   * @return the clause for H2, empty without one
   */
  private String overriding() {
    if (!stream.accept("overriding")) {
      return "";
    }
    boolean system = stream.accept("system");
    if (!system) {
      stream.expect("user");
    }
    rewriter.replaceToken(stream.index(), "VALUE");
    stream.expect("value");
    return system ? "OVERRIDING SYSTEM VALUE " : "OVERRIDING USER VALUE ";
  }

  private List<String> columnList() {
    boolean list =
        stream.isMark('(')
            && !stream.peek(1).isWord("select")
            && !stream.peek(1).isWord("with")
            && !stream.peek(1).isWord("values")
            && !stream.peek(1).isWord("table")
            && !stream.peek(1).isMark('(');
    if (!list) {
      return null;
    }
    int start = stream.index() + 1;
    List<String> columns = stream.nameList();
    for (int i = 0; i < columns.size(); i++) {
      Token token = stream.token(start + 2 * i);
      if (token.kind() == Token.Kind.WORD
          && (Keywords.isReservedByH2Only(token.text())
              || Keywords.isReservedByH2Mostly(token.text()))) {
        rewriter.replaceToken(start + 2 * i, Identifiers.alwaysQuote(token.text()));
      }
    }
    return columns;
  }

  /** Fewer values than columns leave the last columns to their defaults; H2 wants them named. */
  private void nameMissingColumns(QualifiedName target, int lastOfTarget) {
    RelationDefinition relation = options.relations().apply(target);
    int width = relation == null ? InsertWidth.UNKNOWN : InsertWidth.of(stream, stream.index());
    if (width > 0 && width < relation.columns().size()) {
      List<String> names =
          relation.columns().subList(0, width).stream().map(ColumnDefinition::name).toList();
      rewriter.replaceToken(
          lastOfTarget, DdlText.name(target.name()) + " " + DdlText.columns(names));
    }
  }

  /** The rows of VALUES; returns whether there is more than one. */
  private boolean values(QualifiedName target, List<String> columns) {
    stream.expect("values");
    int rows = 0;
    do {
      int open = stream.index();
      int close = stream.skipBrackets();
      constants.inRow(open, close, target, columns);
      rows++;
    } while (stream.acceptMark(','));
    return rows > 1;
  }

  private Dml update() {
    QualifiedName target = target();
    alias();
    stream.expect("set");
    constants.inAssignments(target);
    joins = hasFrom();
    stream.moveTo(stream.limit());
    refuseOtherClauses();
    return dml(target, false, true, false, false, "UPDATE");
  }

  private Dml delete() {
    stream.expect("from");
    QualifiedName target = target();
    alias();
    if (stream.isWord("using")) {
      throw stream.unsupported("DELETE .. USING is", stream.peek());
    }
    if (!stream.atEnd() && !stream.isWord("where")) {
      throw stream.unexpected();
    }
    stream.moveTo(stream.limit());
    refuseOtherClauses();
    return dml(target, false, false, true, false, "DELETE");
  }

  private Dml merge() {
    stream.expect("into");
    QualifiedName target = target();
    alias();
    stream.expect("using");
    boolean inserts = false;
    boolean updates = false;
    boolean deletes = false;
    List<Token> actions = new ArrayList<>();
    for (int i = stream.index(); i < stream.limit(); i++) {
      if (stream.token(i).isWord("then")) {
        actions.add(stream.token(i + 1));
      } else if (stream.token(i).isWord("by") && stream.token(i - 1).isWord("matched")) {
        throw stream.unsupported("WHEN NOT MATCHED BY is", stream.token(i));
      }
    }
    for (Token action : actions) {
      if (action.isWord("do")) {
        throw stream.unsupported("MERGE .. DO NOTHING is", action);
      }
      inserts |= action.isWord("insert");
      updates |= action.isWord("update");
      deletes |= action.isWord("delete");
    }
    stream.moveTo(stream.limit());
    return dml(target, inserts, updates, deletes, inserts, "MERGE");
  }

  /** {@code [ONLY] name [*]}. */
  private QualifiedName target() {
    if (stream.accept("only")) {
      rewriter.replaceToken(stream.index() - 1, "");
    }
    QualifiedName name = stream.qualifiedName();
    SystemSchemas.checkWritable(name);
    if (!stream.atEnd() && stream.peek().isOperator("*")) {
      rewriter.replaceToken(stream.index(), "");
      stream.next();
    }
    visibleName = name.name();
    return name;
  }

  private void alias() {
    if (stream.accept("as")) {
      visibleName = stream.name();
    } else if (!stream.atEnd()
        && stream.peek().isName()
        && !TokenStream.isReserved(stream.peek())
        && !stream.isWord("set")) {
      visibleName = stream.name();
    }
  }

  /** Moves to ON CONFLICT behind the query, or to the end. */
  private void skipQuery() {
    while (!stream.atEnd() && !stream.areWords("on", "conflict")) {
      stream.next();
    }
  }

  /** Whether UPDATE has a FROM of its own. */
  private boolean hasFrom() {
    int depth = 0;
    for (int i = stream.index(); i < stream.limit(); i++) {
      Token token = stream.token(i);
      depth += token.opens() ? 1 : token.closes() ? -1 : 0;
      if (depth == 0 && token.isWord("from") && !stream.token(i - 1).isWord("distinct")) {
        return true;
      }
    }
    return false;
  }

  /** Clauses that PostgreSQL's grammar refuses or H2 has not behind UPDATE and DELETE. */
  private void refuseOtherClauses() {
    int depth = 0;
    for (int i = first; i < stream.limit(); i++) {
      Token token = stream.token(i);
      depth += token.opens() ? 1 : token.closes() ? -1 : 0;
      if (token.isWord("current") && stream.token(i + 1).isWord("of")) {
        throw stream.unsupported("WHERE CURRENT OF is", token);
      }
      if (depth == 0 && (token.isWord("limit") || token.isWord("fetch") || token.isWord("order"))) {
        throw stream.unexpected(token);
      }
    }
  }

  private Dml dml(
      QualifiedName target,
      boolean inserts,
      boolean updates,
      boolean deletes,
      boolean many,
      String tag) {
    String h2Sql = rewriter.rewrite(first, stream.limit(), "dml");
    return new Dml(stream.original(), h2Sql, target, inserts, updates, deletes, many, tag);
  }
}
