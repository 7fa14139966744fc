package dev.millrace.settings;

import dev.millrace.model.PgException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Tells the operator why a service did not start in the error's own words: the message with its
 * detail, and the hint as what to do.
 */
class StartFailureAnalyzer extends AbstractFailureAnalyzer<PgException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, PgException cause) {
    String description = cause.getMessage() + " (SQLSTATE " + cause.sqlState() + ")";
    if (cause.detail() != null) {
      description = description + System.lineSeparator() + cause.detail();
    }
    return new FailureAnalysis(description, cause.hint(), cause);
  }
}
