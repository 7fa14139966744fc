package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import dev.millrace.sql.ParsedStatement.CreateTableAs;
import dev.millrace.sql.ParsedStatement.Ddl;
import dev.millrace.sql.ParsedStatement.Dml;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * CREATE TABLE. H2 gets the columns first and every constraint as one of the table with the name
 * PostgreSQL would give it; a table without primary key gets the row number column where the node
 * asks for it.
 */
final class CreateTableGrammar {

  private static final String ROW_ID =
      DdlText.name(SqlOptions.ROW_ID_COLUMN) + " BIGINT INVISIBLE GENERATED ALWAYS AS IDENTITY";

  private final TokenStream stream;
  private final SqlOptions options;
  private final List<ColumnClause> columns = new ArrayList<>();
  private final List<TableConstraint> constraints = new ArrayList<>();
  private QualifiedName table;
  private boolean ifNotExists;

  CreateTableGrammar(TokenStream stream, SqlOptions options) {
    this.stream = stream;
    this.options = options;
  }

  /** The stream stands at TABLE. */
  ParsedStatement parse() {
    stream.expect("table");
    ifNotExists = stream.accept("if", "not", "exists");
    table = stream.qualifiedName();
    SystemSchemas.checkWritable(table);
    if (isTableAs()) {
      return tableAs();
    }
    refuseForms();
    elements();
    tail();
    stream.expectEnd();
    List<String> statements = new ArrayList<>();
    columns.forEach(column -> statements.addAll(column.prerequisites()));
    statements.add(create());
    return ddl(statements);
  }

  /** {@code CREATE TABLE t [(a, b)] [WITH (..)] AS query}. */
  private boolean isTableAs() {
    if (stream.isWord("as") || stream.isWord("with")) {
      return true;
    }
    if (!stream.isMark('(') || !stream.peek(1).isName()) {
      return false;
    }
    int start = stream.index();
    stream.skipBrackets();
    boolean as = stream.isWord("as");
    stream.moveTo(start);
    return as;
  }

  private CreateTableAs tableAs() {
    List<String> names = stream.isMark('(') ? stream.nameList() : List.of();
    if (stream.accept("with")) {
      StorageParameters.parse(stream);
    }
    stream.expect("as");
    int from = stream.index();
    int to = stream.limit();
    boolean noData = false;
    if (to - 2 > from && stream.token(to - 1).isWord("data")) {
      noData = stream.token(to - 2).isWord("no");
      to -= noData ? 3 : 2;
      if (to <= from || !stream.token(to).isWord("with")) {
        throw stream.unexpected(stream.token(to));
      }
    }
    Token first = stream.token(from);
    boolean query =
        first.isWord("select")
            || first.isWord("with")
            || first.isWord("values")
            || first.isWord("table")
            || first.isMark('(');
    if (!query) {
      throw stream.unexpected(first);
    }
    String select = new QueryGrammar(stream, options).rewrite(from, to, true);
    String list = names.isEmpty() ? "" : " " + DdlText.columns(names);
    List<String> statements = new ArrayList<>();
    statements.add(
        "CREATE TABLE " + DdlText.name(table) + list + " AS " + select + " WITH NO DATA");
    if (options.rowIdColumn()) {
      statements.add(DdlText.alterTable(table, "ADD COLUMN " + ROW_ID));
    }
    String insert = "INSERT INTO " + DdlText.name(table) + " " + select;
    Dml fill =
        noData
            ? null
            : new Dml(stream.original(), insert, table, true, false, false, true, "SELECT");
    return new CreateTableAs(stream.original(), ddl(statements), fill);
  }

  private Ddl ddl(List<String> statements) {
    return new Ddl(
        stream.original(),
        Ddl.Kind.CREATE_TABLE,
        "CREATE TABLE",
        statements,
        List.of(table),
        ifNotExists,
        Map.of(),
        null);
  }

  private void refuseForms() {
    Token token = stream.peek();
    if (stream.isWord("partition")) {
      throw stream.unsupported("partitions are", token);
    }
    if (stream.isWord("of")) {
      throw stream.unsupported("typed tables are", token);
    }
  }

  private void elements() {
    Set<String> names = columnNames();
    ConstraintGrammar constraintGrammar = new ConstraintGrammar(stream, options, names::contains);
    stream.expectMark('(');
    if (stream.acceptMark(')')) {
      return;
    }
    do {
      if (stream.isWord("like")) {
        throw stream.unsupported("LIKE in CREATE TABLE is", stream.peek());
      }
      if (constraintGrammar.begins()) {
        constraints.add(constraintGrammar.ofTable());
      } else {
        column(constraintGrammar);
      }
    } while (stream.acceptMark(','));
    stream.expectMark(')');
  }

  private void column(ConstraintGrammar constraintGrammar) {
    Token start = stream.peek();
    ColumnClause column = new ColumnGrammar(stream, options, constraintGrammar).parse();
    for (ColumnClause other : columns) {
      if (other.name().equals(column.name())) {
        throw stream.error(
            SqlState.DUPLICATE_COLUMN,
            "column \"" + column.name() + "\" specified more than once",
            start);
      }
    }
    columns.add(column);
    constraints.addAll(column.constraints());
  }

  /** The names that stand where columns do, found before their definitions are read. */
  private Set<String> columnNames() {
    Set<String> names = new HashSet<>();
    int depth = 0;
    for (int i = stream.index(); i < stream.limit(); i++) {
      Token token = stream.token(i);
      if (token.isMark(')')) {
        depth--;
      }
      boolean starts = depth == 1 && (token.isMark(',') || token.isMark('('));
      if (token.isMark('(')) {
        depth++;
        starts = depth == 1;
      }
      if (starts && stream.token(i + 1).isName()) {
        names.add(stream.token(i + 1).text());
      }
    }
    return names;
  }

  private void tail() {
    while (!stream.atEnd()) {
      Token token = stream.peek();
      if (stream.isWord("inherits")) {
        throw stream.unsupported("inheritance is", token);
      } else if (stream.isWord("partition")) {
        throw stream.unsupported("partitions are", token);
      } else if (stream.accept("with")) {
        StorageParameters.parse(stream);
      } else if (stream.areWords("on", "commit")) {
        throw stream.unsupported("ON COMMIT is", token);
      } else if (stream.isWord("tablespace")) {
        throw stream.unsupported("TABLESPACE is", token);
      } else if (stream.accept("using")) {
        if (!stream.accept("heap")) {
          throw stream.unsupported("table access methods other than heap are", token);
        }
      } else if (!stream.accept("without", "oids")) {
        throw stream.unexpected();
      }
    }
  }

  private String create() {
    TableConstraint key = primaryKey();
    Set<String> keyColumns = key == null ? Set.of() : new HashSet<>(key.columns());
    List<String> parts = new ArrayList<>();
    for (ColumnClause column : columns) {
      parts.add(column.h2Text(keyColumns.contains(column.name())));
    }
    if (key == null && options.rowIdColumn()) {
      parts.add(ROW_ID);
    }
    ImplicitNames names = new ImplicitNames(options.nameNumber());
    constraints.forEach(
        constraint -> {
          if (constraint.name() != null) {
            names.take(constraint.name());
          }
        });
    for (TableConstraint constraint : withoutRepetitions()) {
      parts.add(constraint.h2Text(constraint.resolvedName(table, names)));
    }
    return "CREATE TABLE "
        + (ifNotExists ? "IF NOT EXISTS " : "")
        + DdlText.name(table)
        + " ("
        + String.join(", ", parts)
        + ")";
  }

  /** PostgreSQL makes one index of a key that is written twice without a name. */
  private Set<TableConstraint> withoutRepetitions() {
    return new LinkedHashSet<>(constraints);
  }

  private TableConstraint primaryKey() {
    TableConstraint key = null;
    for (TableConstraint constraint : constraints) {
      if (constraint.kind() == TableConstraint.Kind.PRIMARY_KEY) {
        if (key != null) {
          throw new PgException(
              "42P16", "multiple primary keys for table \"" + table.name() + "\" are not allowed");
        }
        key = constraint;
      }
    }
    return key;
  }
}
