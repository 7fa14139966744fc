package dev.millrace.sql;

import dev.millrace.model.QualifiedName;
import java.util.ArrayList;
import java.util.List;

/** ALTER COLUMN, one action of ALTER TABLE. */
final class AlterColumnGrammar {

  private final TokenStream stream;
  private final SqlOptions options;
  private final QualifiedName table;
  private final List<String> statements = new ArrayList<>();

  AlterColumnGrammar(TokenStream stream, SqlOptions options, QualifiedName table) {
    this.stream = stream;
    this.options = options;
    this.table = table;
  }

  private void add(String action) {
    statements.add(DdlText.alterTable(table, action));
  }

  /**
   * The stream stands at the column; returns the H2 statements, none where H2 has nothing to do.
   */
  List<String> parse() {
    String column = stream.name();
    String start = "ALTER COLUMN " + DdlText.name(column) + " ";
    Token what = stream.peek();
    if (stream.accept("type") || stream.accept("set", "data", "type")) {
      String newType = newType();
      add(start + "SET DATA TYPE " + newType);
    } else if (stream.accept("set", "default")) {
      add(start + "SET DEFAULT " + expression());
    } else if (stream.accept("drop", "default")) {
      add(start + "DROP DEFAULT");
    } else if (stream.accept("set", "not", "null")) {
      add(start + "SET NOT NULL");
    } else if (stream.accept("drop", "not", "null")) {
      add(start + "DROP NOT NULL");
    } else if (stream.accept("drop", "expression")) {
      stream.accept("if", "exists");
      add(start + "DROP EXPRESSION");
    } else if (stream.accept("drop", "identity")) {
      stream.accept("if", "exists");
      add(start + "DROP IDENTITY");
    } else if (stream.isWord("restart")) {
      add(start + SequenceOptions.parse(stream));
    } else if (stream.accept("set", "storage") || stream.accept("set", "compression")) {
      // How PostgreSQL keeps large values; here they are kept one way.
      stream.label();
    } else if (stream.accept("set", "statistics")) {
      SequenceOptions.number(stream);
    } else if (stream.areWords("set")
        || stream.areWords("add")
        || stream.areWords("reset")
        || stream.areWords("drop")) {
      throw stream.unsupported("this form of ALTER COLUMN is", what);
    } else {
      throw stream.unexpected();
    }
    return statements;
  }

  private String newType() {
    TypeName type = TypeName.parse(stream, options.types());
    if (type.serial()) {
      throw stream.unexpected();
    }
    if (stream.isWord("collate")) {
      throw stream.unsupported("COLLATE is", stream.peek());
    }
    statements.addAll(type.prerequisites());
    return type.h2Column() + (stream.accept("using") ? " USING " + expression() : "");
  }

  /** An expression up to a comma outside brackets or the end. */
  private String expression() {
    int first = stream.index();
    int depth = 0;
    while (!stream.atEnd() && !(depth == 0 && stream.isMark(','))) {
      Token token = stream.next();
      depth += token.isMark('(') ? 1 : token.isMark(')') ? -1 : 0;
    }
    int end = stream.index();
    if (end == first) {
      throw stream.unexpected();
    }
    String text = new ExpressionRewriter(stream, options).rewrite(first, end);
    stream.moveTo(end);
    return text;
  }
}
