package dev.millrace.publisher.source;

import dev.millrace.model.PgException;

/** Why the source cannot be read now; the message also says what a person should do. */
final class SourceProblem extends RuntimeException {

  private final SourceState state;

  SourceProblem(SourceState state, PgException error) {
    super(
        error.getMessage()
            + (error.detail() == null ? "" : ". " + error.detail())
            + (error.hint() == null ? "" : " Hint: " + error.hint()),
        error);
    this.state = state;
  }

  SourceState state() {
    return state;
  }
}
