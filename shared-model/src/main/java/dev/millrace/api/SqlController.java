package dev.millrace.api;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.sql.SqlResponse;
import dev.millrace.sql.SqlSession;
import dev.millrace.sql.SqlSessionFactory;
import dev.millrace.sql.TransactionStatus;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /sql}: a session for one call. */
@RestController
@Tag(name = "sql", description = "SQL over HTTP")
class SqlController {

  private final SqlSessionFactory sessions;

  SqlController(SqlSessionFactory sessions) {
    this.sessions = sessions;
  }

  @PostMapping("/api/v1/sql")
  @Operation(
      operationId = "runSql",
      summary = "Run one or several statements",
      description =
          "One simple query: an implicit transaction unless BEGIN is used. A transaction block"
              + " that is still open at the end is rolled back.")
  SqlAnswer sql(@RequestBody SqlRequest request) {
    try (SqlSession session = sessions.open()) {
      SqlResponse response;
      try {
        response = session.execute(request.sql(), request.parameters());
      } catch (PgException e) {
        throw new SqlCallException(e);
      }
      if (response.status() != TransactionStatus.IDLE) {
        throw new SqlCallException(
            new PgException(
                    SqlState.INVALID_TRANSACTION_STATE,
                    "the transaction block is still open at the end of the call and was rolled"
                        + " back")
                .withHint("End it with COMMIT, or use a session (POST /api/v1/sessions)."));
      }
      return SqlAnswer.of(response);
    }
  }
}
