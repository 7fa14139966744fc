package dev.millrace.sql;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.PgType;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.TypeModifier;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;

/**
 * The text of a publication's row filter in its three forms.
 *
 * <pre>
 *   as written    b = 'x' AND "B" > 10
 *   as kept       $2 = 'x' AND $3 > 10           the numbers are attribute numbers
 *   as shown      (b = 'x' AND "B" > 10)         with the names that the columns have now
 * </pre>
 *
 * Kept this way a filter follows the renaming of its columns and table, as PostgreSQL's expression
 * trees do. Stateless; safe for any thread.
 */
public final class RowFilterText {

  private RowFilterText() {}

  /**
   * The form to keep.
   *
   * @param written the text between WHERE's brackets
   * @throws PgException 42703 for an unknown column, 0A000 for what no filter may hold ({@link
   *     RowFilterReader}), 42601
   */
  public static String of(String written, RelationDefinition relation) {
    return new RowFilterReader(TokenStream.of(written), relation).kept();
  }

  /** As pg_get_expr and pg_publication_tables show it: SQL over the table's present columns. */
  public static String show(String kept, RelationDefinition relation) {
    TokenStream stream = TokenStream.of(kept);
    StringBuilder shown = new StringBuilder();
    int end = 0;
    for (int i = stream.index(); i < stream.limit(); i++) {
      Token token = stream.token(i);
      shown.append(kept, end, token.start());
      shown.append(
          token.kind() == Token.Kind.PARAMETER
              ? Identifiers.quote(columnName(relation, attnum(token)))
              : token.written());
      end = token.end();
    }
    return isBracketed(stream) ? shown.toString() : "(" + shown + ")";
  }

  /** PostgreSQL's name of the type that H2 gives an expression. */
  public static String typeName(String h2Name) {
    int oid = H2TypeNames.oid(h2Name);
    return PgType.format(oid == PgType.VARCHAR ? PgType.TEXT : oid, TypeModifier.NONE);
  }

  private static boolean isBracketed(TokenStream stream) {
    if (!stream.isMark('(')) {
      return false;
    }
    return stream.skipBrackets() == stream.limit() - 1;
  }

  private static String columnName(RelationDefinition relation, int attnum) {
    for (ColumnDefinition column : relation.columns()) {
      if (column.attnum() == attnum) {
        return column.name();
      }
    }
    return "........pg.dropped." + attnum + "........";
  }

  private static int attnum(Token parameter) {
    return Integer.parseInt(parameter.text());
  }

  /** The attribute numbers of the columns that a filter refers to. */
  public static Set<Integer> attnums(String kept) {
    TokenStream stream = TokenStream.of(kept);
    Set<Integer> attnums = new TreeSet<>();
    for (int i = stream.index(); i < stream.limit(); i++) {
      if (stream.token(i).kind() == Token.Kind.PARAMETER) {
        attnums.add(attnum(stream.token(i)));
      }
    }
    return attnums;
  }

  /**
   * H2's SQL of a filter.
   *
   * @param column the text that stands for the column of an attribute number
   * @param bytea whether it refers to a bytea column, so that constants may mean bytes
   */
  public static String h2(String kept, IntFunction<String> column, boolean bytea) {
    TokenStream stream = TokenStream.of(kept);
    ExpressionRewriter rewriter = new ExpressionRewriter(stream, SqlOptions.PLAIN);
    if (!bytea) {
      rewriter.withoutBytea();
    }
    for (int i = stream.index(); i < stream.limit(); i++) {
      if (stream.token(i).kind() == Token.Kind.PARAMETER) {
        rewriter.replaceToken(i, column.apply(attnum(stream.token(i))));
      }
    }
    return rewriter.rewrite(stream.index(), stream.limit(), "where");
  }
}
