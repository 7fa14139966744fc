package dev.millrace.sql;

import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.UserTypes;
import java.util.function.Function;

/**
 * What the parser needs to know of the node it parses for.
 *
 * @param rowIdColumn CREATE TABLE without a primary key gets the invisible column {@link
 *     #ROW_ID_COLUMN}, by which the log can name a row (publisher only)
 * @param functions the node's functions by name, null for an unknown name; their calls are
 *     rewritten to positional arguments
 * @param relations the definition of a table, null when unknown; asked only where a column's type
 *     decides what a literal means and where indexes must go before their column
 * @param types the node's enums and domains
 * @param nameNumber 0 at first; n when implicit names without a number and those below n are taken
 */
public record SqlOptions(
    boolean rowIdColumn,
    Function<String, SystemFunction> functions,
    Function<QualifiedName, RelationDefinition> relations,
    UserTypes types,
    int nameNumber) {

  /** The invisible row number of tables without a primary key; its value never leaves the node. */
  public static final String ROW_ID_COLUMN = "$rid";

  /** Nothing known beyond the statement's own text. */
  public static final SqlOptions PLAIN =
      new SqlOptions(false, name -> null, name -> null, UserTypes.NONE, 0);

  public SqlOptions withRowIdColumn() {
    return new SqlOptions(true, functions, relations, types, nameNumber);
  }

  public SqlOptions withFunctions(Function<String, SystemFunction> newFunctions) {
    return new SqlOptions(rowIdColumn, newFunctions, relations, types, nameNumber);
  }

  public SqlOptions withRelations(Function<QualifiedName, RelationDefinition> newRelations) {
    return new SqlOptions(rowIdColumn, functions, newRelations, types, nameNumber);
  }

  public SqlOptions withTypes(UserTypes newTypes) {
    return new SqlOptions(rowIdColumn, functions, relations, newTypes, nameNumber);
  }

  SqlOptions withNameNumber(int newNumber) {
    return new SqlOptions(rowIdColumn, functions, relations, types, newNumber);
  }
}
