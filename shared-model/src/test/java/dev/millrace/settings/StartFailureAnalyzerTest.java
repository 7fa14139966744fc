package dev.millrace.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.model.PgException;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;

@DisplayName("A failed start")
class StartFailureAnalyzerTest {

  @Test
  @DisplayName("shows message, SQLSTATE, detail and hint of the error below it")
  void analysis() {
    PgException error =
        new PgException("55006", "lock file is held already", new IOException("x"))
            .withDetail("By somebody.")
            .withHint("Stop it.");
    FailureAnalysis analysis =
        new StartFailureAnalyzer().analyze(new IllegalStateException("wrapped", error));
    assertThat(analysis.getDescription())
        .contains("lock file is held already", "55006", "By somebody.");
    assertThat(analysis.getAction()).isEqualTo("Stop it.");
  }
}
