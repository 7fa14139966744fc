package dev.millrace.sql;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.Identifiers;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.sql.ParsedStatement.Dml;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * ON CONFLICT. H2 has its form without target, DO NOTHING; every other one becomes a MERGE whose
 * source is called {@code excluded} and holds the proposed rows, cast to the columns' types.
 *
 * <p>A MERGE sees no row that another session is adding, so it fails where PostgreSQL would update
 * that row: such a statement names its arbiter and is run again ({@link ConflictRerun}).
 */
final class ConflictGrammar {

  private final TokenStream stream;
  private final SqlOptions options;
  private final QualifiedName target;
  private final String visibleName;
  private final RelationDefinition relation;
  private IndexDefinition arbiter;
  private boolean update;
  private int set;
  private int where;

  ConflictGrammar(
      TokenStream stream, SqlOptions options, QualifiedName target, String visibleName) {
    this.stream = stream;
    this.options = options;
    this.target = target;
    this.visibleName = visibleName;
    this.relation = options.relations().apply(target);
  }

  /** The stream stands at ON; returns whether H2's own ON CONFLICT DO NOTHING does it. */
  boolean parse() {
    Token start = stream.peek();
    stream.expect("on", "conflict");
    boolean anyKey = stream.isWord("do");
    if (stream.accept("on", "constraint")) {
      arbiter = named(stream.name());
    } else if (!anyKey) {
      arbiter = inferred();
    }
    stream.expect("do");
    if (stream.accept("nothing")) {
      stream.expectEnd();
      // A table that is unknown here will be missed by H2.
      return anyKey || relation == null || uniqueIndexes() == 1;
    }
    stream.expect("update", "set");
    if (anyKey) {
      throw new PgException(
              SqlState.SYNTAX_ERROR,
              "ON CONFLICT DO UPDATE requires inference specification or constraint name")
          .withHint("For example, ON CONFLICT (column_name).")
          .withPosition(Lexer.position(stream.sql(), start.start()));
    }
    update = true;
    assignments();
    return relation == null;
  }

  private long uniqueIndexes() {
    return relation.indexes().stream().filter(IndexDefinition::unique).count();
  }

  private IndexDefinition named(String name) {
    if (relation == null) {
      return null;
    }
    for (IndexDefinition index : relation.indexes()) {
      if (index.unique() && index.name().equals(name)) {
        return index;
      }
    }
    throw new PgException(
        SqlState.UNDEFINED_OBJECT,
        "constraint \"" + name + "\" for table \"" + target.name() + "\" does not exist");
  }

  private IndexDefinition inferred() {
    int open = stream.index();
    for (int i = open + 1; i < stream.limit() && !stream.token(i).isMark(')'); i++) {
      Token token = stream.token(i);
      if (token.isMark('(') || token.isWord("collate")) {
        throw stream.unsupported("expressions in ON CONFLICT are", token);
      }
    }
    List<String> columns = stream.nameList();
    if (stream.isWord("where")) {
      throw stream.unsupported("a predicate in ON CONFLICT is", stream.peek());
    }
    if (relation == null) {
      return null;
    }
    Set<Integer> wanted = new HashSet<>();
    for (String column : columns) {
      wanted.add(definition(column).attnum());
    }
    for (IndexDefinition index : relation.indexes()) {
      if (index.unique() && new HashSet<>(index.attnums()).equals(wanted)) {
        return index;
      }
    }
    throw new PgException(
        SqlState.INVALID_COLUMN_REFERENCE,
        "there is no unique or exclusion constraint matching the ON CONFLICT specification");
  }

  private ColumnDefinition definition(String column) {
    int index = relation.columnIndex(column);
    if (index < 0) {
      throw new PgException(
          SqlState.UNDEFINED_COLUMN,
          "column \"" + column + "\" of relation \"" + target.name() + "\" does not exist");
    }
    return relation.columns().get(index);
  }

  /** Finds where SET's list and WHERE begin; the stream ends behind them. */
  private void assignments() {
    set = stream.index();
    where = stream.limit();
    int depth = 0;
    while (!stream.atEnd()) {
      Token token = stream.next();
      depth += token.isMark('(') ? 1 : token.isMark(')') ? -1 : 0;
      if (depth == 0 && token.isWord("where")) {
        where = stream.index() - 1;
        break;
      }
    }
    if (where == set) {
      throw stream.unexpected(stream.token(where));
    }
    stream.moveTo(stream.limit());
  }

  /** The statement as a MERGE of these rows. */
  Dml merge(InsertSource source, boolean many) {
    boolean values = stream.token(source.from()).isWord("values");
    if (!values && stream.token(source.from()).isWord("default")) {
      throw stream.unsupported(
          "DEFAULT VALUES with this ON CONFLICT is", stream.token(source.from()));
    }
    ConflictRows proposed =
        values
            ? ConflictRows.ofValues(stream, options, target, columns(source), source)
            : ConflictRows.ofQuery(stream, options, columns(source), source);
    ConflictRows rows = proposed.withNulls(keyColumns());
    refuseDefaultsOfExcluded(rows.inserted());
    String sql =
        "MERGE INTO "
            + DdlText.name(target)
            + " AS "
            + Identifiers.alwaysQuote(visibleName)
            + " USING ("
            + (update || !many ? rows.h2Sql() : rows.firstOfEachKey(key()))
            + ") AS \"excluded\""
            + DdlText.columns(rows.all())
            + " ON ("
            + condition()
            + ")"
            + (update ? whenMatched() : "")
            + " WHEN NOT MATCHED THEN INSERT "
            + DdlText.columns(rows.inserted())
            + " "
            + source.overriding()
            + "VALUES "
            + rows.inserted().stream()
                .map(ConflictGrammar::excluded)
                .collect(Collectors.joining(", ", "(", ")"));
    return new Dml(
        stream.original(),
        sql,
        target,
        true,
        update,
        false,
        many,
        "INSERT 0",
        false,
        new ConflictArbiter(arbiter.name(), !many && update && changesKey()));
  }

  /** Whether SET names a column of the arbiter. */
  private boolean changesKey() {
    List<String> key = key();
    int depth = 0;
    for (int i = set; i < where; i++) {
      Token token = stream.token(i);
      depth += token.opens() ? 1 : token.closes() ? -1 : 0;
      boolean assigned =
          i == set || stream.token(i - 1).isMark(',') || stream.token(i - 1).isMark('(');
      if (assigned && depth <= 1 && token.isName() && key.contains(token.text())) {
        return true;
      }
    }
    return false;
  }

  private List<ColumnDefinition> columns(InsertSource source) {
    if (source.columns() != null) {
      return source.columns().stream().map(this::definition).toList();
    }
    List<ColumnDefinition> columns = relation.columns();
    int width = InsertWidth.of(stream, source.from());
    return width < 0 || width > columns.size() ? columns : columns.subList(0, width);
  }

  /** A column that is not inserted has its default in EXCLUDED, which the source lacks. */
  private void refuseDefaultsOfExcluded(List<String> inserted) {
    for (int i = set; update && i + 2 < stream.limit(); i++) {
      boolean reference =
          stream.token(i).isName()
              && stream.token(i).text().equals("excluded")
              && stream.token(i + 1).isMark('.');
      String column = stream.token(i + 2).text();
      if (reference && relation.columnIndex(column) >= 0 && !inserted.contains(column)) {
        throw stream.unsupported(
            "EXCLUDED for a column that the INSERT does not name is", stream.token(i));
      }
    }
  }

  private String condition() {
    return key().stream()
        .map(
            column ->
                Identifiers.alwaysQuote(visibleName)
                    + "."
                    + Identifiers.alwaysQuote(column)
                    + " = "
                    + excluded(column))
        .collect(Collectors.joining(" AND "));
  }

  /** The arbiter's columns. */
  private List<ColumnDefinition> keyColumns() {
    return relation.columns().stream()
        .filter(column -> arbiter.attnums().contains(column.attnum()))
        .toList();
  }

  private List<String> key() {
    return keyColumns().stream().map(ColumnDefinition::name).toList();
  }

  private static String excluded(String column) {
    return "\"excluded\"." + Identifiers.alwaysQuote(column);
  }

  private String whenMatched() {
    ExpressionRewriter rewriter = new ExpressionRewriter(stream, options);
    ColumnConstants constants = new ColumnConstants(stream, options, rewriter);
    stream.moveTo(set);
    constants.inAssignments(target);
    String assignments = rewriter.rewrite(set, where, "set");
    String condition =
        where == stream.limit()
            ? ""
            : " AND ("
                + new ExpressionRewriter(stream, options)
                    .rewrite(where + 1, stream.limit(), "where")
                + ")";
    stream.moveTo(stream.limit());
    return " WHEN MATCHED" + condition + " THEN UPDATE SET " + assignments;
  }

  /** H2's name of a column's type without its length, which an assignment checks, not a cast. */
  static String castType(ColumnDefinition column) {
    return TypeName.of(column, null).h2Cast();
  }
}
