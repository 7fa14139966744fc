package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.sql.SQLException;
import org.h2.api.ErrorCode;

/** Maps what H2 throws to PostgreSQL's SQLSTATEs and wording. */
public final class H2Errors {

  private static final String NO_FUNCTION_HINT =
      "No function matches the given name and argument types. You might need to add explicit type"
          + " casts.";
  private static final String NO_OPERATOR_HINT =
      "No operator matches the given name and argument types. You might need to add explicit type"
          + " casts.";

  private H2Errors() {}

  /** The same error as PostgreSQL would report it; H2's exception stays the cause. */
  public static PgException translate(SQLException error) {
    PgException inner = thrownInside(error);
    if (inner != null) {
      return inner;
    }
    H2Message message = new H2Message(error);
    PgException translated = constraint(error, message);
    if (translated == null) {
      translated = H2NameErrors.translate(error, message);
    }
    if (translated == null) {
      translated = H2ValueErrors.translate(error, message);
    }
    if (translated == null) {
      translated = statement(error, message);
    }
    return translated != null ? translated : server(error, message);
  }

  /** A trigger or a function of ours has spoken PostgreSQL already. */
  private static PgException thrownInside(SQLException error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof PgException) {
        return (PgException) cause;
      }
    }
    return null;
  }

  private static PgException constraint(SQLException error, H2Message message) {
    String table = message.target();
    switch (error.getErrorCode()) {
      case ErrorCode.DUPLICATE_KEY_1:
        return KeyViolations.unique(message, error);
      case ErrorCode.REFERENTIAL_INTEGRITY_VIOLATED_PARENT_MISSING_1:
        return KeyViolations.foreign(message, true, error);
      case ErrorCode.REFERENTIAL_INTEGRITY_VIOLATED_CHILD_EXISTS_1:
        return KeyViolations.foreign(message, false, error);
      case ErrorCode.NULL_NOT_ALLOWED:
        return notNull(message, table, error);
      case ErrorCode.COLUMN_CONTAINS_NULL_VALUES_1:
        return pg(
            SqlState.NOT_NULL_VIOLATION,
            "column \"" + message.parameter(0) + "\"" + of(table) + " contains null values",
            error);
      case ErrorCode.CHECK_CONSTRAINT_VIOLATED_1:
        PgException domain = DomainCheck.violation(message.parameter(0), error);
        if (domain != null) {
          return domain;
        }
        String constraint = message.parameter(0).replaceFirst(":.*$", "");
        return pg(
            SqlState.CHECK_VIOLATION,
            "new row"
                + (table == null ? "" : " for relation \"" + table + "\"")
                + " violates check constraint \""
                + H2Message.unquote(constraint)
                + "\"",
            error);
      default:
        return null;
    }
  }

  private static PgException notNull(H2Message message, String table, SQLException error) {
    String column = message.parameter(0);
    if (message.statementBegins("alter")) {
      return pg(
          SqlState.NOT_NULL_VIOLATION,
          "column \"" + column + "\"" + of(table) + " contains null values",
          error);
    }
    return pg(
            SqlState.NOT_NULL_VIOLATION,
            "null value in column \"" + column + "\"" + of(table) + " violates not-null constraint",
            error)
        .withColumn(column);
  }

  private static String of(String table) {
    return table == null ? "" : " of relation \"" + table + "\"";
  }

  private static PgException statement(SQLException error, H2Message message) {
    switch (error.getErrorCode()) {
      case ErrorCode.SYNTAX_ERROR_1:
      case ErrorCode.SYNTAX_ERROR_2:
        return pg(SqlState.SYNTAX_ERROR, syntax(message.parameter(0)), error);
      case ErrorCode.COLUMN_COUNT_DOES_NOT_MATCH:
        return pg(
            SqlState.SYNTAX_ERROR,
            message.statementBegins("insert")
                ? "INSERT has another number of expressions than target columns"
                : "the queries or rows must have the same number of columns",
            error);
      case ErrorCode.MUST_GROUP_BY_COLUMN_1:
        return pg(
            SqlState.GROUPING_ERROR,
            "column \""
                + message.parameter(0)
                + "\" must appear in the GROUP BY clause or be used in an aggregate function",
            error);
      case ErrorCode.ORDER_BY_NOT_IN_RESULT:
        return pg(
            SqlState.INVALID_COLUMN_REFERENCE,
            "ORDER BY position " + message.parameter(0) + " is not in select list",
            error);
      case ErrorCode.SCALAR_SUBQUERY_CONTAINS_MORE_THAN_ONE_ROW:
        return pg(
            SqlState.CARDINALITY_VIOLATION,
            "more than one row returned by a subquery used as an expression",
            error);
      case ErrorCode.TYPES_ARE_NOT_COMPARABLE_2:
        return pg(
                SqlState.UNDEFINED_FUNCTION,
                "operator does not exist: "
                    + pgName(message.parameter(0))
                    + " = "
                    + pgName(message.parameter(1)),
                error)
            .withHint(NO_OPERATOR_HINT);
      case ErrorCode.FUNCTION_NOT_FOUND_1:
        return pg(
                SqlState.UNDEFINED_FUNCTION,
                "function " + message.parameter(0) + " does not exist",
                error)
            .withHint(NO_FUNCTION_HINT);
      case ErrorCode.PARAMETER_NOT_SET_1:
        return pg(
            SqlState.UNDEFINED_PARAMETER,
            "there is no parameter " + message.parameter(0).replace('#', '$'),
            error);
      case ErrorCode.GENERATED_COLUMN_CANNOT_BE_ASSIGNED_1:
        return generatedAlways(message, error);
      case ErrorCode.FEATURE_NOT_SUPPORTED_1:
        return unsupported(message, error);
      case ErrorCode.CANNOT_DROP_2:
        if (message.statementBegins("drop domain")) {
          return TypeInUse.error(message.parameter(0), message.parameter(1), error);
        }
        return pg(
                SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
                "cannot drop "
                    + (message.statementBegins("drop table") ? "table " : "")
                    + message.parameter(0)
                    + " because other objects depend on it",
                error)
            .withDetail(message.parameter(1) + " depends on it.")
            .withHint("Use DROP ... CASCADE to drop the dependent objects too.");
      case ErrorCode.CONSTRAINT_IS_USED_BY_CONSTRAINT_2:
        return pg(
                SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
                "cannot drop constraint "
                    + lastName(message.parameter(0))
                    + " because other objects depend on it",
                error)
            .withDetail("constraint " + lastName(message.parameter(1)) + " depends on it.")
            .withHint("Use DROP ... CASCADE to drop the dependent objects too.");
      case ErrorCode.CANNOT_TRUNCATE_1:
        return pg(
                SqlState.FEATURE_NOT_SUPPORTED,
                "cannot truncate a table referenced in a foreign key constraint",
                error)
            .withHint("Truncate table \"...\" at the same time, or use TRUNCATE ... CASCADE.");
      case ErrorCode.COLUMN_IS_REFERENCED_1:
      case ErrorCode.INDEX_BELONGS_TO_CONSTRAINT_2:
      case ErrorCode.SEQUENCE_BELONGS_TO_A_TABLE_1:
      case ErrorCode.SCHEMA_CAN_NOT_BE_DROPPED_1:
        return pg(SqlState.DEPENDENT_OBJECTS_STILL_EXIST, message.plain(), error);
      default:
        return null;
    }
  }

  /** A name without its schema and quotes. */
  private static String lastName(String path) {
    return H2Message.unquote(path.substring(path.lastIndexOf('.') + 1));
  }

  private static PgException generatedAlways(H2Message message, SQLException error) {
    String column = lastName(message.parameter(0));
    return pg(
            SqlState.GENERATED_ALWAYS,
            message.statementBegins("update")
                ? "column \"" + column + "\" can only be updated to DEFAULT"
                : "cannot insert a non-DEFAULT value into column \"" + column + "\"",
            error)
        .withDetail("Column \"" + column + "\" is generated always.")
        .withColumn(column);
  }

  private static PgException unsupported(H2Message message, SQLException error) {
    String what = message.parameter(0);
    if (what.startsWith("Reference ")) {
      String table = what.substring(what.lastIndexOf('.') + 1);
      return pg(
          SqlState.INVALID_FOREIGN_KEY,
          "there is no unique constraint matching given keys for referenced table \""
              + H2Message.unquote(table)
              + "\"",
          error);
    }
    return pg(SqlState.FEATURE_NOT_SUPPORTED, what + " is not supported", error);
  }

  /** H2 puts {@code [*]} before the word it could not take. */
  private static String syntax(String marked) {
    int mark = marked.indexOf("[*]");
    String rest = mark < 0 ? "" : marked.substring(mark + 3).stripLeading();
    if (rest.isEmpty()) {
      return "syntax error at end of input";
    }
    char quote = rest.charAt(0);
    if ((quote == '\'' || quote == '"') && rest.indexOf(quote, 1) < 0) {
      String kind = quote == '"' ? "identifier" : "string";
      return "unterminated quoted " + kind + " at or near \"" + rest + "\"";
    }
    int end = 1;
    if (Character.isJavaIdentifierPart(rest.charAt(0))) {
      while (end < rest.length() && Character.isJavaIdentifierPart(rest.charAt(end))) {
        end++;
      }
    }
    return "syntax error at or near \"" + rest.substring(0, end) + "\"";
  }

  private static PgException server(SQLException error, H2Message message) {
    if (lacksRoom(error)) {
      return pg(SqlState.DISK_FULL, "could not write to file: No space left on device", error)
          .withHint("Check free disk space.");
    }
    switch (error.getErrorCode()) {
      case ErrorCode.LOCK_TIMEOUT_1:
        return pg(SqlState.LOCK_NOT_AVAILABLE, "canceling statement due to lock timeout", error);
      case ErrorCode.DEADLOCK_1:
        return deadlock(error);
      case ErrorCode.CONCURRENT_UPDATE_1:
        return serialization(error);
      case ErrorCode.STATEMENT_WAS_CANCELED:
        return pg(SqlState.QUERY_CANCELED, "canceling statement due to user request", error);
      case ErrorCode.DATABASE_IS_CLOSED:
      case ErrorCode.CONNECTION_BROKEN_1:
      case ErrorCode.OBJECT_CLOSED:
      case ErrorCode.DATABASE_CALLED_AT_SHUTDOWN:
        return pg(
            SqlState.ADMIN_SHUTDOWN, "terminating connection due to administrator command", error);
      case ErrorCode.DATABASE_IS_READ_ONLY:
        return pg(
            SqlState.READ_ONLY_SQL_TRANSACTION,
            "cannot execute the statement in a read-only transaction",
            error);
      case ErrorCode.NOT_ENOUGH_RIGHTS_FOR_1:
        return pg(
            SqlState.INSUFFICIENT_PRIVILEGE,
            "permission denied for " + message.parameter(0),
            error);
      case ErrorCode.ADMIN_RIGHTS_REQUIRED:
        return pg(SqlState.INSUFFICIENT_PRIVILEGE, "permission denied", error);
      case ErrorCode.OUT_OF_MEMORY:
        return pg(SqlState.OUT_OF_MEMORY, "out of memory", error);
      case ErrorCode.FILE_CORRUPTED_1:
        return pg(SqlState.DATA_CORRUPTED, message.plain(), error);
      case ErrorCode.IO_EXCEPTION_1:
      case ErrorCode.IO_EXCEPTION_2:
        return pg(SqlState.IO_ERROR, message.plain(), error);
      default:
        return pg(stateOf(error), message.plain(), error);
    }
  }

  /** H2 reports both under one code; only a real deadlock names its transactions. */
  private static PgException deadlock(SQLException error) {
    Throwable cause = error.getCause();
    boolean victim =
        cause == null
            || cause.getMessage() == null
            || cause.getMessage().contains("deadlock victim");
    return victim
        ? pg(SqlState.DEADLOCK_DETECTED, "deadlock detected", error)
        : serialization(error);
  }

  private static PgException serialization(SQLException error) {
    return pg(
        SqlState.SERIALIZATION_FAILURE,
        "could not serialize access due to concurrent update",
        error);
  }

  /** Also where H2 has closed the database for that and says no more than that it is closed. */
  private static boolean lacksRoom(SQLException error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause.getMessage() != null && cause.getMessage().contains("No space left on device")) {
        return true;
      }
    }
    return false;
  }

  /** Standard states pass; H2's own numbers mean an error nobody expected. */
  private static String stateOf(SQLException error) {
    String state = error.getSQLState();
    boolean standard = state != null && state.matches("2....|42...|54...");
    if (standard) {
      return state;
    }
    boolean unsupported = state != null && state.equals("HYC00");
    return unsupported ? SqlState.FEATURE_NOT_SUPPORTED : SqlState.INTERNAL_ERROR;
  }

  private static String pgName(String h2Type) {
    H2TypeNames.Declared declared = H2TypeNames.declared(h2Type);
    return declared == null ? h2Type : declared.formatted();
  }

  static PgException pg(String sqlState, String text, SQLException cause) {
    return new PgException(sqlState, text, cause);
  }
}
