package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.sql.SQLException;
import java.util.Locale;
import org.h2.api.ErrorCode;

/** Objects that are missing, exist already, or are ambiguous. */
final class H2NameErrors {

  private H2NameErrors() {}

  /** Null for an error of another kind. */
  static PgException translate(SQLException error, H2Message message) {
    String name = message.parameter(0);
    switch (error.getErrorCode()) {
      case ErrorCode.TABLE_OR_VIEW_NOT_FOUND_1:
      case ErrorCode.TABLE_OR_VIEW_NOT_FOUND_WITH_CANDIDATES_2:
      case ErrorCode.TABLE_OR_VIEW_NOT_FOUND_DATABASE_EMPTY_1:
        String kind = message.statementBegins("drop table") ? "table" : "relation";
        return missing(SqlState.UNDEFINED_TABLE, kind, name, error);
      case ErrorCode.VIEW_NOT_FOUND_1:
        return missing(SqlState.UNDEFINED_TABLE, "view", name, error);
      case ErrorCode.SEQUENCE_NOT_FOUND_1:
        String sequence = name.toLowerCase(Locale.ROOT);
        boolean dropped = message.statementBegins("drop sequence");
        return missing(
            SqlState.UNDEFINED_TABLE, dropped ? "sequence" : "relation", sequence, error);
      case ErrorCode.SCHEMA_NOT_FOUND_1:
        return missing(SqlState.INVALID_SCHEMA_NAME, "schema", name, error);
      case ErrorCode.INDEX_NOT_FOUND_1:
        return missing(SqlState.UNDEFINED_OBJECT, "index", name, error);
      case ErrorCode.USER_OR_ROLE_NOT_FOUND_1:
      case ErrorCode.USER_NOT_FOUND_1:
      case ErrorCode.ROLE_NOT_FOUND_1:
        return missing(SqlState.UNDEFINED_OBJECT, "role", name, error);
      case ErrorCode.UNKNOWN_DATA_TYPE_1:
      case ErrorCode.DOMAIN_NOT_FOUND_1:
        return missing(SqlState.UNDEFINED_OBJECT, "type", name.toLowerCase(Locale.ROOT), error);
      case ErrorCode.CONSTRAINT_NOT_FOUND_1:
        return constraintMissing(error, message);
      case ErrorCode.SAVEPOINT_IS_INVALID_1:
        return missing(SqlState.INVALID_SAVEPOINT_SPECIFICATION, "savepoint", name, error);
      case ErrorCode.COLUMN_NOT_FOUND_1:
        return columnMissing(error, message);
      default:
        return existing(error, message);
    }
  }

  private static PgException existing(SQLException error, H2Message message) {
    String name = message.parameter(0);
    switch (error.getErrorCode()) {
      case ErrorCode.TABLE_OR_VIEW_ALREADY_EXISTS_1:
      case ErrorCode.VIEW_ALREADY_EXISTS_1:
      case ErrorCode.INDEX_ALREADY_EXISTS_1:
      case ErrorCode.SEQUENCE_ALREADY_EXISTS_1:
        return exists(SqlState.DUPLICATE_TABLE, "relation", name, error);
      case ErrorCode.SCHEMA_ALREADY_EXISTS_1:
        return exists(SqlState.DUPLICATE_SCHEMA, "schema", name, error);
      case ErrorCode.DOMAIN_ALREADY_EXISTS_1:
        return exists(SqlState.DUPLICATE_OBJECT, "type", name, error);
      case ErrorCode.CONSTRAINT_ALREADY_EXISTS_1:
        String table = message.target();
        return H2Errors.pg(
            SqlState.DUPLICATE_OBJECT,
            "constraint \""
                + name
                + "\""
                + (table == null ? "" : " for relation \"" + table + "\"")
                + " already exists",
            error);
      case ErrorCode.SECOND_PRIMARY_KEY:
        return H2Errors.pg(
            SqlState.INVALID_TABLE_DEFINITION,
            "multiple primary keys for table \"" + message.target() + "\" are not allowed",
            error);
      case ErrorCode.DUPLICATE_COLUMN_NAME_1:
        return duplicateColumn(error, message);
      case ErrorCode.AMBIGUOUS_COLUMN_NAME_1:
        return H2Errors.pg(
            SqlState.AMBIGUOUS_COLUMN, "column reference \"" + name + "\" is ambiguous", error);
      default:
        return null;
    }
  }

  private static PgException columnMissing(SQLException error, H2Message message) {
    String name = message.parameter(0);
    boolean qualified = name.indexOf('.') > 0;
    String column = qualified ? name : "\"" + name + "\"";
    boolean inTarget =
        !qualified && (message.statementBegins("insert") || message.statementBegins("alter"));
    String table = inTarget ? message.target() : null;
    return H2Errors.pg(
        SqlState.UNDEFINED_COLUMN,
        "column "
            + column
            + (table == null ? "" : " of relation \"" + table + "\"")
            + " does not exist",
        error);
  }

  private static PgException duplicateColumn(SQLException error, H2Message message) {
    String column = "\"" + message.parameter(0) + "\"";
    if (message.statementBegins("update")) {
      return H2Errors.pg(
          SqlState.SYNTAX_ERROR, "multiple assignments to same column " + column, error);
    }
    return H2Errors.pg(
        SqlState.DUPLICATE_COLUMN,
        message.statementBegins("alter")
            ? "column " + column + " of relation \"" + message.target() + "\" already exists"
            : "column " + column + " specified more than once",
        error);
  }

  /** H2 names a missing key of a foreign key's target by its columns. */
  private static PgException constraintMissing(SQLException error, H2Message message) {
    String name = message.parameter(0);
    if (name.startsWith("PRIMARY KEY | UNIQUE")) {
      return H2Errors.pg(
          SqlState.INVALID_FOREIGN_KEY,
          "there is no unique constraint matching given keys for referenced table"
              + (message.referenced() == null ? "" : " \"" + message.referenced() + "\""),
          error);
    }
    String table = message.target();
    return H2Errors.pg(
        SqlState.UNDEFINED_OBJECT,
        "constraint \""
            + name
            + "\""
            + (table == null ? "" : " of relation \"" + table + "\"")
            + " does not exist",
        error);
  }

  private static PgException missing(
      String sqlState, String kind, String name, SQLException error) {
    return H2Errors.pg(sqlState, kind + " \"" + name + "\" does not exist", error);
  }

  private static PgException exists(String sqlState, String kind, String name, SQLException error) {
    return H2Errors.pg(sqlState, kind + " \"" + name + "\" already exists", error);
  }
}
