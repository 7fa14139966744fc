package dev.millrace.model;

/**
 * An error as PostgreSQL reports one: SQLSTATE, a short message in lower case, and optionally
 * detail, hint, context, the column concerned and the position in the statement (counted in
 * characters from 1; 0 = none).
 *
 * <p>It travels unchanged from where it is found to the person who can act: REST problem document,
 * WebSocket error frame, log line or view column.
 */
public class PgException extends RuntimeException {

  private final String sqlState;
  private final String detail;
  private final String hint;
  private final String context;
  private final String column;
  private final int position;

  public PgException(String sqlState, String message) {
    this(sqlState, message, null, null, null, null, 0, null);
  }

  /** An error that nobody foresaw (XX000), without the names of classes; the cause has them. */
  public static PgException unexpected(Throwable cause) {
    return new PgException(SqlState.INTERNAL_ERROR, "internal error: " + cause, cause);
  }

  public PgException(String sqlState, String message, Throwable cause) {
    this(sqlState, message, null, null, null, null, 0, cause);
  }

  private PgException(
      String sqlState,
      String message,
      String detail,
      String hint,
      String context,
      String column,
      int position,
      Throwable cause) {
    super(sqlState.equals(SqlState.INTERNAL_ERROR) ? ClassNames.without(message) : message, cause);
    this.sqlState = sqlState;
    this.detail = detail;
    this.hint = hint;
    this.context = context;
    this.column = column;
    this.position = position;
  }

  public PgException withDetail(String newDetail) {
    return new PgException(
        sqlState, getMessage(), newDetail, hint, context, column, position, source());
  }

  public PgException withHint(String newHint) {
    return new PgException(
        sqlState, getMessage(), detail, newHint, context, column, position, source());
  }

  public PgException withContext(String newContext) {
    return new PgException(
        sqlState, getMessage(), detail, hint, newContext, column, position, source());
  }

  public PgException withColumn(String newColumn) {
    return new PgException(
        sqlState, getMessage(), detail, hint, context, newColumn, position, source());
  }

  public PgException withPosition(int newPosition) {
    return new PgException(
        sqlState, getMessage(), detail, hint, context, column, newPosition, source());
  }

  /** The original throwable stays reachable when fields are added. */
  private Throwable source() {
    return getCause() != null ? getCause() : this;
  }

  public String sqlState() {
    return sqlState;
  }

  public String detail() {
    return detail;
  }

  public String hint() {
    return hint;
  }

  public String context() {
    return context;
  }

  public String column() {
    return column;
  }

  public int position() {
    return position;
  }
}
