package dev.millrace.sql;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.Identifiers;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The rows an INSERT .. ON CONFLICT proposes, as a query whose columns have the types of the
 * table's.
 *
 * @param h2Sql the query
 * @param all its columns
 * @param inserted those to insert: without those that are DEFAULT in every row
 */
record ConflictRows(String h2Sql, List<String> all, List<String> inserted) {

  /**
   * With those of {@code columns} that the statement does not propose. Such a column gets a value
   * of its own when the row is inserted; NULL stands for it here, which equals no row's.
   */
  ConflictRows withNulls(List<ColumnDefinition> columns) {
    List<ColumnDefinition> missing =
        columns.stream().filter(column -> !all.contains(column.name())).toList();
    if (missing.isEmpty()) {
      return this;
    }
    List<String> names = new ArrayList<>(all);
    StringBuilder nulls = new StringBuilder();
    for (ColumnDefinition column : missing) {
      names.add(column.name());
      nulls.append(", CAST(NULL AS ").append(ConflictGrammar.castType(column)).append(')');
    }
    String proposed = " FROM (" + h2Sql + ") AS \"proposed\"" + DdlText.columns(all);
    return new ConflictRows("SELECT \"proposed\".*" + nulls + proposed, names, inserted);
  }

  /**
   * The query without the rows whose key it proposes a second time; NULLs are never the same key. A
   * MERGE does not see the rows it has added itself, so DO NOTHING must not be given them.
   */
  String firstOfEachKey(List<String> key) {
    if (!inserted.containsAll(key)) {
      return h2Sql;
    }
    List<String> quoted = key.stream().map(Identifiers::alwaysQuote).toList();
    return "SELECT * FROM ("
        + h2Sql
        + ") AS \"proposed\""
        + DdlText.columns(all)
        + " QUALIFY ROW_NUMBER() OVER (PARTITION BY "
        + String.join(", ", quoted)
        + ") = 1 OR "
        + String.join(" IS NULL OR ", quoted)
        + " IS NULL";
  }

  static ConflictRows ofQuery(
      TokenStream stream, SqlOptions options, List<ColumnDefinition> columns, InsertSource source) {
    String query = new QueryGrammar(stream, options).rewrite(source.from(), source.to(), false);
    stream.moveTo(stream.limit());
    List<String> names = columns.stream().map(ColumnDefinition::name).toList();
    String list =
        columns.stream()
            .map(
                column ->
                    "CAST("
                        + Identifiers.alwaysQuote(column.name())
                        + " AS "
                        + ConflictGrammar.castType(column)
                        + ")")
            .collect(Collectors.joining(", "));
    String sql =
        "SELECT " + list + " FROM (" + query + ") AS \"proposed\"" + DdlText.columns(names);
    return new ConflictRows(sql, names, names);
  }

  static ConflictRows ofValues(
      TokenStream stream,
      SqlOptions options,
      QualifiedName target,
      List<ColumnDefinition> columns,
      InsertSource source) {
    List<String> names = columns.stream().map(ColumnDefinition::name).toList();
    ExpressionRewriter rewriter = new ExpressionRewriter(stream, options);
    ColumnConstants constants = new ColumnConstants(stream, options, rewriter);
    int[] defaults = new int[columns.size()];
    int rows = 0;
    stream.moveTo(source.from() + 1);
    do {
      int open = stream.index();
      int close = stream.skipBrackets();
      constants.inRow(open, close, target, names);
      castRow(stream, rewriter, columns, open, close, defaults);
      rows++;
    } while (stream.acceptMark(','));
    List<String> inserted = new ArrayList<>();
    for (int i = 0; i < defaults.length; i++) {
      if (defaults[i] == 0) {
        inserted.add(names.get(i));
      } else if (defaults[i] < rows) {
        throw stream.unsupported(
            "DEFAULT in some rows of an INSERT with ON CONFLICT is", stream.token(source.from()));
      }
    }
    String values = rewriter.rewrite(source.from(), source.to());
    stream.moveTo(stream.limit());
    return new ConflictRows(values, names, inserted);
  }

  private static void castRow(
      TokenStream stream,
      ExpressionRewriter rewriter,
      List<ColumnDefinition> columns,
      int open,
      int close,
      int[] defaults) {
    int depth = 0;
    int column = 0;
    int before = open;
    for (int i = open + 1; i <= close; i++) {
      Token token = stream.token(i);
      boolean ends = depth == 0 && (i == close || token.isMark(','));
      if (ends && column == columns.size()) {
        throw stream.error(
            SqlState.SYNTAX_ERROR, "INSERT has more expressions than target columns", token);
      }
      if (ends) {
        if (i == before + 2 && stream.token(before + 1).isWord("default")) {
          defaults[column]++;
          rewriter.replaceToken(before + 1, "NULL");
        }
        rewriter.insertAfter(before, "CAST(");
        String castType = ConflictGrammar.castType(columns.get(column));
        rewriter.insertAfter(i - 1, " AS " + castType + ")");
        column++;
        before = i;
      }
      depth += token.opens() ? 1 : token.closes() ? -1 : 0;
    }
    if (column < columns.size()) {
      throw stream.error(
          SqlState.SYNTAX_ERROR,
          "INSERT has more target columns than expressions",
          stream.token(close));
    }
  }
}
