package dev.millrace.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ConcurrentModificationException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("What an error tells its reader")
class PgExceptionTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "General error: \"java.lang.InternalError: no such page\"|General error: \"no such page\"",
        "java.lang.NullPointerException|internal error",
        "org.h2.mvstore.MVStoreException: Chunk 7 not found [2.4.240/6]|Chunk 7 not found [2.4.240/6]",
        "bad dev.millrace.wal.Segments$Part@1f2e here|bad  here",
        "file base.mv.db of public.T is gone|file base.mv.db of public.T is gone",
      })
  @DisplayName("an internal error is told without the names of classes")
  void internal(String message, String told) {
    assertThat(new PgException("XX000", message)).hasMessage(told);
  }

  @Test
  @DisplayName("what nobody foresaw keeps its cause for the log")
  void unexpected() {
    RuntimeException cause = new ConcurrentModificationException();
    PgException error = PgException.unexpected(cause);
    assertThat(error).hasMessage("internal error").hasCause(cause);
    assertThat(PgException.unexpected(new IllegalStateException("no more room")))
        .hasMessage("internal error: no more room");
  }

  @Test
  @DisplayName("a user's own text stays as it is")
  void ownText() {
    assertThat(new PgException("22P02", "invalid input syntax: \"java.lang.String\""))
        .hasMessage("invalid input syntax: \"java.lang.String\"");
  }
}
