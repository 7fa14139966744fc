package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.PgText;
import dev.millrace.model.PgType;
import dev.millrace.model.SqlState;
import dev.millrace.model.TypeModifier;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.h2.api.ErrorCode;

/** Values that are too long, out of range, or no value of their type. */
final class H2ValueErrors {

  /** {@code 'x' (t: "id" INTEGER NOT NULL)}: the value, table, column and type. */
  private static final Pattern CONVERTED_FOR_COLUMN =
      Pattern.compile("'(.*)' \\(.*: " + H2Message.QUOTED + " (.*)\\)", Pattern.DOTALL);

  private static final Pattern CONVERTED_TYPES = Pattern.compile("([A-Z ]+) to ([A-Z ]+)");

  private H2ValueErrors() {}

  /** Null for an error of another kind. */
  static PgException translate(SQLException error, H2Message message) {
    switch (error.getErrorCode()) {
      case ErrorCode.DIVISION_BY_ZERO_1:
        return H2Errors.pg(SqlState.DIVISION_BY_ZERO, "division by zero", error);
      case ErrorCode.VALUE_TOO_LONG_2:
        return tooLong(message.parameter(0), error);
      case ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE_1:
      case ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE_2:
        return outOfRange(message.parameter(0), error);
      case ErrorCode.DATA_CONVERSION_ERROR_1:
        return conversion(message.parameter(0), error);
      case ErrorCode.INVALID_DATETIME_CONSTANT_2:
        return invalid(message.parameter(0), message.parameter(1), error);
      case ErrorCode.HEX_STRING_ODD_1:
      case ErrorCode.HEX_STRING_WRONG_1:
        return H2Errors.pg(SqlState.INVALID_PARAMETER_VALUE, message.plain(), error);
      case ErrorCode.ARRAY_ELEMENT_ERROR_2:
        return H2Errors.pg(SqlState.ARRAY_SUBSCRIPT_ERROR, "array subscript out of range", error);
      case ErrorCode.INVALID_VALUE_2:
        return invalidValue(error, message);
      default:
        return null;
    }
  }

  /** {@code c CHARACTER VARYING(3)}: the column is missing for a cast. */
  private static PgException tooLong(String columnAndType, SQLException error) {
    H2TypeNames.Declared declared = H2TypeNames.declared(columnAndType);
    if (declared != null && declared.oid() == PgType.NUMERIC) {
      int precision = TypeModifier.precision(declared.typeModifier());
      int scale = TypeModifier.scale(declared.typeModifier());
      return H2Errors.pg(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "numeric field overflow", error)
          .withDetail(
              "A field with precision "
                  + precision
                  + ", scale "
                  + scale
                  + " must round to an absolute value less than 10^"
                  + (precision - scale)
                  + ".");
    }
    return H2Errors.pg(
        SqlState.STRING_DATA_RIGHT_TRUNCATION,
        "value too long for type " + (declared == null ? columnAndType : declared.formatted()),
        error);
  }

  /** H2 names the value only; its size tells which type it did not fit. */
  private static PgException outOfRange(String value, SQLException error) {
    String type;
    try {
      BigDecimal magnitude = new BigDecimal(value).abs();
      if (magnitude.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) >= 0) {
        type = "bigint";
      } else if (magnitude.compareTo(BigDecimal.valueOf(Integer.MAX_VALUE)) > 0) {
        type = "integer";
      } else {
        type = "smallint";
      }
    } catch (NumberFormatException unreadable) {
      // H2 shortens long values for display; what is left is no number and the type stays general.
      type = "numeric";
    }
    return H2Errors.pg(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, type + " out of range", error);
  }

  private static PgException conversion(String what, SQLException error) {
    Matcher column = CONVERTED_FOR_COLUMN.matcher(what);
    if (column.matches()) {
      H2TypeNames.Declared declared = H2TypeNames.declared(column.group(2));
      String type = declared == null ? column.group(2) : PgType.byOid(declared.oid()).sqlName();
      return invalidSyntax(type, column.group(1).replace("''", "'"), error);
    }
    if (what.equals("DECFLOAT to NUMERIC")) {
      // H2 can hold them in a column, but hands no trigger a value for them.
      return H2Errors.pg(
          SqlState.FEATURE_NOT_SUPPORTED,
          "numeric values NaN and Infinity are not supported in tables",
          error);
    }
    Matcher types = CONVERTED_TYPES.matcher(what);
    if (types.matches() && H2TypeNames.oid(types.group(2)) != 0) {
      return H2Errors.pg(
          SqlState.CANNOT_COERCE,
          "cannot cast type " + pgName(types.group(1)) + " to " + pgName(types.group(2)),
          error);
    }
    return H2Errors.pg(
        SqlState.INVALID_TEXT_REPRESENTATION, "invalid input syntax: \"" + what + "\"", error);
  }

  private static String pgName(String h2Type) {
    PgType type = PgType.byOid(H2TypeNames.oid(h2Type));
    return type == null ? h2Type : type.sqlName();
  }

  private static PgException invalidSyntax(String type, String value, SQLException error) {
    return H2Errors.pg(
        SqlState.INVALID_TEXT_REPRESENTATION,
        "invalid input syntax for type " + type + ": \"" + value + "\"",
        error);
  }

  /** Our own reader knows whether the form or a field of the date is wrong. */
  private static PgException invalid(String h2Type, String value, SQLException error) {
    int oid = H2TypeNames.oid(h2Type);
    if (oid != 0 && PgType.byOid(oid).isSupported()) {
      try {
        PgText.parse(value, oid);
      } catch (PgException found) {
        return H2Errors.pg(found.sqlState(), found.getMessage(), error);
      }
    }
    return H2Errors.pg(
        SqlState.INVALID_DATETIME_FORMAT,
        "invalid input syntax for type " + pgName(h2Type) + ": \"" + value + "\"",
        error);
  }

  private static PgException invalidValue(SQLException error, H2Message message) {
    String parameter = message.parameter(1);
    if (parameter.contains("FETCH") || parameter.contains("LIMIT")) {
      return H2Errors.pg(
          SqlState.INVALID_ROW_COUNT_IN_LIMIT_CLAUSE, "LIMIT must not be negative", error);
    }
    if (parameter.contains("OFFSET")) {
      return H2Errors.pg("2201X", "OFFSET must not be negative", error);
    }
    return H2Errors.pg(
        SqlState.INVALID_PARAMETER_VALUE,
        "invalid value \"" + message.parameter(0) + "\" for " + parameter,
        error);
  }
}
