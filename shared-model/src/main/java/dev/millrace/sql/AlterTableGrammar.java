package dev.millrace.sql;

import dev.millrace.model.IndexDefinition;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.sql.ParsedStatement.AlterReplicaIdentity;
import dev.millrace.sql.ParsedStatement.Ddl;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** ALTER TABLE: each action becomes one or more statements of H2, which knows one at a time. */
final class AlterTableGrammar {

  private final TokenStream stream;
  private final SqlOptions options;
  private final List<String> statements = new ArrayList<>();
  private final Map<String, String> renames = new HashMap<>();
  private final List<Ddl.ColumnChange> columnChanges = new ArrayList<>();
  private final ImplicitNames names;
  private QualifiedName table;
  private QualifiedName newName;

  AlterTableGrammar(TokenStream stream, SqlOptions options) {
    this.stream = stream;
    this.options = options;
    this.names = new ImplicitNames(options.nameNumber());
  }

  /** The stream stands at TABLE. */
  ParsedStatement parse() {
    stream.expect("table");
    boolean ifExists = stream.accept("if", "exists");
    stream.accept("only");
    table = stream.qualifiedName();
    SystemSchemas.checkWritable(table);
    if (!stream.atEnd() && stream.peek().isOperator("*")) {
      stream.next();
    }
    if (stream.areWords("replica", "identity")) {
      return replicaIdentity();
    }
    if (stream.isWord("rename")) {
      rename();
    } else {
      do {
        action();
      } while (stream.acceptMark(','));
    }
    stream.expectEnd();
    return new Ddl(
        stream.original(),
        Ddl.Kind.ALTER_TABLE,
        "ALTER TABLE",
        ifExists ? withIfExists() : statements,
        List.of(table),
        ifExists,
        renames,
        newName,
        columnChanges);
  }

  private List<String> withIfExists() {
    List<String> changed = new ArrayList<>();
    statements.forEach(
        text -> changed.add(text.replaceFirst("^ALTER TABLE ", "ALTER TABLE IF EXISTS ")));
    return changed;
  }

  private AlterReplicaIdentity replicaIdentity() {
    stream.expect("replica", "identity");
    ReplicaIdentity identity;
    String index = null;
    if (stream.accept("default")) {
      identity = ReplicaIdentity.DEFAULT;
    } else if (stream.accept("full")) {
      identity = ReplicaIdentity.FULL;
    } else if (stream.accept("nothing")) {
      identity = ReplicaIdentity.NOTHING;
    } else {
      stream.expect("using");
      stream.expect("index");
      index = stream.name();
      identity = ReplicaIdentity.INDEX;
    }
    if (stream.isMark(',')) {
      throw stream.unsupported("REPLICA IDENTITY together with other actions is", stream.peek());
    }
    stream.expectEnd();
    return new AlterReplicaIdentity(stream.original(), table, identity, index);
  }

  private void rename() {
    stream.expect("rename");
    if (stream.accept("to")) {
      String name = stream.name();
      newName = new QualifiedName(table.schema(), name);
      statements.add(DdlText.alterTable(table, "RENAME TO " + DdlText.name(name)));
      return;
    }
    boolean constraint = stream.accept("constraint");
    if (!constraint) {
      stream.accept("column");
    }
    String from = stream.name();
    stream.expect("to");
    String to = stream.name();
    renames.put(from, to);
    add(
        constraint
            ? "RENAME CONSTRAINT " + DdlText.name(from) + " TO " + DdlText.name(to)
            : "ALTER COLUMN " + DdlText.name(from) + " RENAME TO " + DdlText.name(to));
  }

  private void add(String action) {
    statements.add(DdlText.alterTable(table, action));
  }

  private void action() {
    Token start = stream.peek();
    if (stream.accept("add")) {
      addition();
    } else if (stream.accept("drop")) {
      drop();
    } else if (stream.accept("alter")) {
      stream.accept("column");
      if (stream.peek(1).isWord("type") || stream.peek(2).isWord("data")) {
        columnChanges.add(new Ddl.ColumnChange(stream.peek().text(), false, false));
      }
      statements.addAll(new AlterColumnGrammar(stream, options, table).parse());
    } else if (stream.isWord("set") && stream.peek(1).isMark('(')) {
      stream.next();
      StorageParameters.parse(stream);
    } else if (stream.areWords("set", "schema")) {
      throw stream.unsupported("ALTER TABLE .. SET SCHEMA is", start);
    } else if (stream.areWords("replica", "identity")) {
      throw stream.unsupported("REPLICA IDENTITY together with other actions is", start);
    } else {
      throw refusal(start);
    }
  }

  private dev.millrace.model.PgException refusal(Token start) {
    Set<String> known =
        Set.of(
            "owner",
            "enable",
            "disable",
            "set",
            "reset",
            "inherit",
            "no",
            "attach",
            "detach",
            "cluster",
            "validate",
            "force",
            "not",
            "of");
    if (start.kind() != Token.Kind.WORD || stream.atEnd() || !known.contains(start.text())) {
      return stream.unexpected();
    }
    String form =
        start.text()
            + (stream.peek(1).kind() == Token.Kind.WORD ? " " + stream.peek(1).text() : "");
    return stream.unsupported(
        "ALTER TABLE .. " + form.toUpperCase(java.util.Locale.ROOT) + " is", start);
  }

  private void addition() {
    ConstraintGrammar constraintGrammar = constraints(null);
    if (constraintGrammar.begins()) {
      constraint(constraintGrammar.ofTable());
      return;
    }
    stream.accept("column");
    boolean ifNotExists = stream.accept("if", "not", "exists");
    String name = stream.peek().text();
    ColumnClause column = new ColumnGrammar(stream, options, constraints(name)).parse();
    boolean key =
        column.constraints().stream()
            .anyMatch(constraint -> constraint.kind() == TableConstraint.Kind.PRIMARY_KEY);
    statements.addAll(column.prerequisites());
    add("ADD COLUMN " + (ifNotExists ? "IF NOT EXISTS " : "") + column.h2Text(key));
    for (TableConstraint constraint : column.constraints()) {
      add("ADD " + constraint.h2Text(constraint.resolvedName(table, names)));
    }
  }

  /** Columns in CHECK expressions are those of the table and the one being added. */
  private ConstraintGrammar constraints(String addedColumn) {
    RelationDefinition relation = options.relations().apply(table);
    return new ConstraintGrammar(
        stream,
        options,
        name ->
            name.equals(addedColumn)
                || (relation == null
                    ? !Keywords.isFullyReserved(name)
                    : relation.columnIndex(name) >= 0));
  }

  private void constraint(TableConstraint constraint) {
    if (constraint.kind() == TableConstraint.Kind.PRIMARY_KEY) {
      for (String column : constraint.columns()) {
        add("ALTER COLUMN " + DdlText.name(column) + " SET NOT NULL");
      }
    }
    add("ADD " + constraint.h2Text(constraint.resolvedName(table, names)));
  }

  private void drop() {
    boolean constraint = stream.accept("constraint");
    if (!constraint) {
      stream.accept("column");
    }
    String ifExists = stream.accept("if", "exists") ? "IF EXISTS " : "";
    String name = stream.name();
    boolean cascade = stream.accept("cascade");
    if (!cascade) {
      stream.accept("restrict");
    }
    if (constraint) {
      add("DROP CONSTRAINT " + ifExists + DdlText.name(name) + (cascade ? " CASCADE" : ""));
      return;
    }
    dropIndexesOf(name);
    columnChanges.add(new Ddl.ColumnChange(name, true, cascade));
    add("DROP COLUMN " + ifExists + DdlText.name(name));
  }

  /** PostgreSQL drops the indexes a column is part of; H2 refuses where they have other columns. */
  private void dropIndexesOf(String column) {
    RelationDefinition relation = options.relations().apply(table);
    int index = relation == null ? -1 : relation.columnIndex(column);
    if (index < 0) {
      return;
    }
    int attnum = relation.columns().get(index).attnum();
    for (IndexDefinition each : relation.indexes()) {
      if (each.attnums().contains(attnum) && each.attnums().size() > 1) {
        add("DROP CONSTRAINT IF EXISTS " + DdlText.name(each.name()));
        statements.add(
            "DROP INDEX IF EXISTS " + DdlText.name(new QualifiedName(table.schema(), each.name())));
      }
    }
  }
}
