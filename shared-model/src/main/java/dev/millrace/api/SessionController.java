package dev.millrace.api;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.net.URI;
import java.time.Clock;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** {@code /sessions}: sessions that keep their transaction between calls. */
@RestController
@Tag(name = "sql", description = "SQL over HTTP")
class SessionController {

  private final SqlSessions sessions;
  private final Clock clock;

  SessionController(SqlSessions sessions, Clock clock) {
    this.sessions = sessions;
    this.clock = clock;
  }

  @PostMapping("/api/v1/sessions")
  @ResponseStatus(HttpStatus.CREATED)
  @Operation(
      operationId = "openSession",
      summary = "Open a session",
      description = "It ends after idle_session_timeout without a call, rolling back.")
  ResponseEntity<Opened> open() {
    ClientSession session = sessions.open();
    return ResponseEntity.created(URI.create("/api/v1/sessions/" + session.id()))
        .body(new Opened(session.id(), session.pid()));
  }

  @PostMapping("/api/v1/sessions/{id}/sql")
  @Operation(
      operationId = "runSqlInSession",
      summary = "Run one or several statements in a session",
      description =
          "BEGIN, SAVEPOINT, COMMIT .. are plain SQL. A session takes one call at a time.")
  SqlAnswer sql(@PathVariable String id, @RequestBody SqlRequest request) {
    return SqlAnswer.of(sessions.find(id).execute(request, clock));
  }

  @DeleteMapping("/api/v1/sessions/{id}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(
      operationId = "endSession",
      summary = "End a session",
      description = "Cancels a running statement and rolls back.")
  void end(@PathVariable String id) {
    sessions.end(id);
  }

  /** A new session. */
  record Opened(String id, long pid) {}
}
