package dev.millrace.api;

import dev.millrace.model.PgException;

/** An SQL statement of /sql failed: 422 whatever its SQLSTATE. */
final class SqlCallException extends RuntimeException {

  private final PgException error;

  SqlCallException(PgException error) {
    super(error);
    this.error = error;
  }

  PgException error() {
    return error;
  }
}
