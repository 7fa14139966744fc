package dev.millrace.sql;

import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import dev.millrace.sql.ParsedStatement.Ddl;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** CREATE, ALTER and DROP INDEX. */
final class IndexGrammar {

  private final TokenStream stream;
  private final SqlOptions options;

  IndexGrammar(TokenStream stream, SqlOptions options) {
    this.stream = stream;
    this.options = options;
  }

  /** The stream stands behind {@code verb}. */
  Ddl parse(String verb) {
    Ddl ddl =
        switch (verb) {
          case "create" -> create();
          case "alter" -> alter();
          default -> drop();
        };
    stream.expectEnd();
    return ddl;
  }

  private Ddl create() {
    boolean unique = stream.accept("unique");
    stream.expect("index");
    stream.accept("concurrently");
    boolean ifNotExists = stream.accept("if", "not", "exists");
    String name = stream.isWord("on") ? null : stream.name();
    if (ifNotExists && name == null) {
      throw stream.unexpected();
    }
    stream.expect("on");
    stream.accept("only");
    QualifiedName table = stream.qualifiedName();
    SystemSchemas.checkWritable(table);
    method();
    List<String> names = new ArrayList<>();
    String columns = columns(names);
    tail();
    String indexName =
        name != null ? name : new ImplicitNames(options.nameNumber()).index(table.name(), names);
    String text =
        "CREATE "
            + (unique ? "UNIQUE " : "")
            + "INDEX "
            + (ifNotExists ? "IF NOT EXISTS " : "")
            + DdlText.name(new QualifiedName(table.schema(), indexName))
            + " ON "
            + DdlText.name(table)
            + " ("
            + columns
            + ")";
    return new Ddl(
        stream.original(),
        Ddl.Kind.CREATE_INDEX,
        "CREATE INDEX",
        List.of(text),
        List.of(table),
        ifNotExists,
        Map.of(),
        null);
  }

  private void method() {
    if (stream.accept("using")) {
      Token method = stream.peek();
      if (!stream.accept("btree")) {
        throw stream.unsupported("index access methods other than btree are", method);
      }
    }
  }

  private String columns(List<String> names) {
    List<String> texts = new ArrayList<>();
    stream.expectMark('(');
    do {
      texts.add(column(names));
    } while (stream.acceptMark(','));
    stream.expectMark(')');
    return String.join(", ", texts);
  }

  private String column(List<String> names) {
    Token start = stream.peek();
    if (stream.isMark('(') || stream.peek(1).isMark('(')) {
      throw stream.unsupported("indexes on expressions are", start);
    }
    String name = stream.name();
    names.add(name);
    StringBuilder text = new StringBuilder(DdlText.name(name));
    if (stream.isWord("collate")) {
      throw stream.unsupported("COLLATE is", stream.peek());
    }
    if (!stream.atEnd() && stream.peek().isName() && !isOrder(stream.peek())) {
      throw stream.unsupported("operator classes are", stream.peek());
    }
    if (stream.accept("desc")) {
      text.append(" DESC");
    } else {
      stream.accept("asc");
    }
    if (stream.accept("nulls")) {
      boolean first = stream.accept("first");
      if (!first) {
        stream.expect("last");
      }
      text.append(first ? " NULLS FIRST" : " NULLS LAST");
    }
    return text.toString();
  }

  private static boolean isOrder(Token token) {
    return token.isWord("asc") || token.isWord("desc") || token.isWord("nulls");
  }

  private void tail() {
    while (!stream.atEnd()) {
      Token token = stream.peek();
      if (stream.isWord("where")) {
        throw stream.unsupported("partial indexes are", token);
      } else if (stream.isWord("include")) {
        throw stream.unsupported("INCLUDE is", token);
      } else if (stream.areWords("nulls", "not", "distinct")) {
        throw stream.unsupported("NULLS NOT DISTINCT is", token);
      } else if (stream.isWord("tablespace")) {
        throw stream.unsupported("TABLESPACE is", token);
      } else if (stream.accept("with")) {
        StorageParameters.parse(stream);
      } else if (!stream.accept("nulls", "distinct")) {
        throw stream.unexpected();
      }
    }
  }

  private Ddl alter() {
    stream.expect("index");
    boolean ifExists = stream.accept("if", "exists");
    QualifiedName index = stream.qualifiedName();
    Token action = stream.peek();
    if (!stream.accept("rename")) {
      throw action.kind() == Token.Kind.WORD && !stream.atEnd()
          ? stream.unsupported("this form of ALTER INDEX is", action)
          : stream.unexpected();
    }
    stream.expect("to");
    String name = stream.name();
    SystemSchemas.checkWritable(index);
    String text =
        "ALTER INDEX "
            + (ifExists ? "IF EXISTS " : "")
            + DdlText.name(index)
            + " RENAME TO "
            + DdlText.name(name);
    return new Ddl(
        stream.original(),
        Ddl.Kind.OTHER,
        "ALTER INDEX",
        List.of(text),
        List.of(index),
        ifExists,
        Map.of(index.name(), name),
        new QualifiedName(index.schema(), name));
  }

  private Ddl drop() {
    stream.expect("index");
    stream.accept("concurrently");
    boolean ifExists = stream.accept("if", "exists");
    List<QualifiedName> indexes = stream.qualifiedNames();
    Token cascade = stream.peek();
    if (stream.accept("cascade")) {
      throw stream.error(
          SqlState.FEATURE_NOT_SUPPORTED, "DROP INDEX .. CASCADE is not supported", cascade);
    }
    stream.accept("restrict");
    List<String> statements = new ArrayList<>();
    for (QualifiedName index : indexes) {
      SystemSchemas.checkWritable(index);
      statements.add("DROP INDEX " + (ifExists ? "IF EXISTS " : "") + DdlText.name(index));
    }
    return new Ddl(
        stream.original(),
        Ddl.Kind.DROP_INDEX,
        "DROP INDEX",
        statements,
        indexes,
        ifExists,
        Map.of(),
        null);
  }
}
