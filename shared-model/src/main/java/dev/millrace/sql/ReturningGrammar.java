package dev.millrace.sql;

import dev.millrace.model.Identifiers;
import dev.millrace.sql.ParsedStatement.Dml;

/**
 * A statement that changes rows, with or without RETURNING: H2 answers the rows of a change as a
 * table, from which the list of RETURNING is selected.
 */
final class ReturningGrammar {

  private final TokenStream stream;
  private final SqlOptions options;

  ReturningGrammar(TokenStream stream, SqlOptions options) {
    this.stream = stream;
    this.options = options;
  }

  Dml parse() {
    int returning = returning();
    DmlGrammar grammar = new DmlGrammar(stream.upTo(returning), options);
    Dml dml = grammar.parse();
    if (returning == stream.limit()) {
      return dml;
    }
    Token word = stream.token(returning);
    if (dml.tag().equals("MERGE")) {
      throw stream.unsupported("RETURNING of MERGE is", word);
    }
    if (grammar.joins()) {
      throw stream.unsupported("RETURNING of UPDATE .. FROM is", word);
    }
    String h2Sql =
        "SELECT "
            + list(returning + 1)
            + (dml.deletes() ? " FROM OLD TABLE (" : " FROM FINAL TABLE (")
            + dml.h2Sql()
            + ") AS "
            + Identifiers.alwaysQuote(grammar.visibleName());
    return new Dml(
        stream.original(),
        h2Sql,
        dml.target(),
        dml.inserts(),
        dml.updates(),
        dml.deletes(),
        dml.mayInsertMany(),
        dml.tag(),
        true,
        dml.arbiter());
  }

  /** The index of RETURNING, or the end. */
  private int returning() {
    int depth = 0;
    for (int i = stream.index(); i < stream.limit(); i++) {
      Token token = stream.token(i);
      depth += token.isMark('(') ? 1 : token.isMark(')') ? -1 : 0;
      if (depth == 0 && token.isWord("returning") && !stream.token(i - 1).isMark('.')) {
        return i;
      }
    }
    return stream.limit();
  }

  private String list(int from) {
    if (from == stream.limit()) {
      throw stream.unexpected(stream.token(from));
    }
    for (int i = from; i < stream.limit(); i++) {
      Token token = stream.token(i);
      boolean version = token.isWord("old") || token.isWord("new");
      if (version && stream.token(i + 1).isMark('.')) {
        throw stream.unsupported("OLD and NEW in RETURNING are", token);
      }
      if (token.isWord("select")) { // It would see the tables as they are after the change.
        throw stream.unsupported("a query in RETURNING is", token);
      }
    }
    ExpressionRewriter rewriter = new ExpressionRewriter(stream, options);
    QueryGrammar.nameItems(stream, rewriter, from, stream.limit());
    return rewriter.rewrite(from, stream.limit(), "select");
  }
}
