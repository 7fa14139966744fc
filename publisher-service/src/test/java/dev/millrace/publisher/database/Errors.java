package dev.millrace.publisher.database;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.millrace.model.PgException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Shorthand for the error a statement ends with. */
final class Errors {

  private Errors() {}

  /** SQLSTATE and message, as {@code 55000 cannot ..}. */
  static String of(ThrowingCallable call) {
    PgException error = catchThrowableOfType(PgException.class, call);
    return error == null ? "no error" : error.sqlState() + ' ' + error.getMessage();
  }
}
