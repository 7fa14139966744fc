package dev.millrace.sql;

import dev.millrace.model.Identifiers;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.sql.ParsedStatement.Ddl;
import java.util.List;
import java.util.Map;

/** DROP TABLE, views, and COMMENT ON. */
final class TableGrammar {

  private final TokenStream stream;
  private final SqlOptions options;

  TableGrammar(TokenStream stream, SqlOptions options) {
    this.stream = stream;
    this.options = options;
  }

  /** The stream stands at TABLE or VIEW, behind DROP. */
  Ddl drop(Ddl.Kind kind) {
    String object = stream.next().text().toUpperCase(java.util.Locale.ROOT);
    boolean ifExists = stream.accept("if", "exists");
    List<QualifiedName> names = stream.qualifiedNames();
    names.forEach(SystemSchemas::checkWritable);
    boolean cascade = stream.accept("cascade");
    if (!cascade) {
      stream.accept("restrict");
    }
    stream.expectEnd();
    String start = "DROP " + object + (ifExists ? " IF EXISTS " : " ");
    String end = cascade ? " CASCADE" : " RESTRICT";
    List<String> statements =
        kind == Ddl.Kind.DROP_TABLE
            ? List.of(start + DdlText.names(names) + end)
            : names.stream().map(name -> start + DdlText.name(name) + end).toList();
    return new Ddl(
        stream.original(), kind, "DROP " + object, statements, names, ifExists, Map.of(), null);
  }

  /** The stream stands behind {@code verb}. */
  Ddl view(String verb) {
    if (verb.equals("drop")) {
      return drop(Ddl.Kind.OTHER);
    }
    if (verb.equals("alter")) {
      throw stream.unsupported("ALTER VIEW is", stream.peek());
    }
    boolean replace = stream.accept("or", "replace");
    stream.expect("view");
    QualifiedName name = stream.qualifiedName();
    SystemSchemas.checkWritable(name);
    List<String> columns = stream.isMark('(') ? stream.nameList() : List.of();
    if (stream.isWord("with")) {
      throw stream.unsupported("WITH of a view is", stream.peek());
    }
    stream.expect("as");
    if (stream.atEnd()) {
      throw stream.unexpected();
    }
    String query = new QueryGrammar(stream, options).rewrite(stream.index(), stream.limit(), true);
    String text =
        "CREATE "
            + (replace ? "OR REPLACE " : "")
            + "VIEW "
            + DdlText.name(name)
            + (columns.isEmpty() ? "" : " " + DdlText.columns(columns))
            + " AS "
            + query;
    return new Ddl(
        stream.original(),
        Ddl.Kind.OTHER,
        "CREATE VIEW",
        List.of(text),
        List.of(name),
        false,
        Map.of(),
        null);
  }

  /** The comment of such a column tells that it is one. */
  private boolean isVirtual(QualifiedName table, String column) {
    RelationDefinition relation = options.relations().apply(table);
    int index = relation == null ? -1 : relation.columnIndex(column);
    return index >= 0 && relation.columns().get(index).generated() == 'v';
  }

  /** {@code COMMENT ON TABLE t IS ..}, {@code COMMENT ON COLUMN t.c IS ..}. */
  Ddl comment() {
    stream.expect("comment", "on");
    Token what = stream.peek();
    String object;
    String column = null;
    QualifiedName target;
    if (stream.accept("table")) {
      target = stream.qualifiedName();
      object = "TABLE " + DdlText.name(target);
    } else if (stream.accept("column")) {
      String first = stream.name();
      stream.expectMark('.');
      String second = stream.label();
      String third = stream.acceptMark('.') ? stream.label() : null;
      target =
          third == null ? new QualifiedName("public", first) : new QualifiedName(first, second);
      column = third == null ? second : third;
      object = "COLUMN " + DdlText.name(target) + "." + DdlText.name(column);
    } else {
      throw what.kind() == Token.Kind.WORD && !stream.atEnd()
          ? stream.unsupported(
              "COMMENT ON " + what.text().toUpperCase(java.util.Locale.ROOT) + " is", what)
          : stream.unexpected();
    }
    SystemSchemas.checkWritable(target);
    stream.expect("is");
    String comment = stream.accept("null") ? null : stream.string();
    if (column != null && isVirtual(target, column)) {
      comment = H2Schema.VIRTUAL + (comment == null ? "" : " " + comment);
    }
    String text = comment == null ? "NULL" : Identifiers.literal(comment);
    stream.expectEnd();
    return new Ddl(
        stream.original(),
        Ddl.Kind.OTHER,
        "COMMENT",
        List.of("COMMENT ON " + object + " IS " + text),
        List.of(target),
        false,
        Map.of(),
        null);
  }
}
