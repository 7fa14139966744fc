package dev.millrace.api;

import dev.millrace.model.PgException;
import java.net.URI;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;

/**
 * Problem documents (RFC 9457). {@code detail} is the primary message; PostgreSQL's DETAIL, which
 * has no place of its own there, is the member {@code errdetail}.
 */
final class Problems {

  private static final URI BLANK = URI.create("about:blank");

  private Problems() {}

  static ProblemDetail of(PgException error, HttpStatus status) {
    ProblemDetail problem = of(status, error.getMessage(), error.sqlState());
    put(problem, "errdetail", error.detail());
    put(problem, "hint", error.hint());
    put(problem, "context", error.context());
    put(problem, "column", error.column());
    if (error.position() > 0) {
      problem.setProperty("position", error.position());
    }
    return problem;
  }

  static ProblemDetail of(HttpStatusCode status, String detail) {
    return of(status, detail, ProblemStatus.sqlStateOf(status.value()));
  }

  private static ProblemDetail of(HttpStatusCode status, String detail, String sqlState) {
    ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
    complete(problem);
    problem.setProperty("sqlstate", sqlState);
    return problem;
  }

  /** Adds to a document that Spring made what every document of ours has. */
  static void complete(ProblemDetail problem) {
    problem.setType(BLANK);
    HttpStatus known = HttpStatus.resolve(problem.getStatus());
    if (problem.getTitle() == null) {
      problem.setTitle(known == null ? "Error" : known.getReasonPhrase());
    }
    if (problem.getProperties() == null || !problem.getProperties().containsKey("sqlstate")) {
      problem.setProperty("sqlstate", ProblemStatus.sqlStateOf(problem.getStatus()));
    }
  }

  private static void put(ProblemDetail problem, String member, String value) {
    if (value != null) {
      problem.setProperty(member, value);
    }
  }
}
