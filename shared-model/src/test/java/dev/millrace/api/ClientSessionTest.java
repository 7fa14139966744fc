package dev.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.settings.SettingTable;
import dev.millrace.settings.Settings;
import dev.millrace.sql.SqlResponse;
import dev.millrace.sql.SqlSession;
import dev.millrace.sql.TransactionStatus;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ClientSessionTest {

  private static final SqlRequest REQUEST = new SqlRequest("SELECT 1", List.of());

  private final HeldSession held = new HeldSession();
  private final ClientSession session = new ClientSession("abc", held, 0);

  @Test
  @DisplayName("a call that meets the look at the session's idle time waits for it")
  void callDuringIdleLook() throws Exception {
    CompletableFuture<Boolean> look =
        CompletableFuture.supplyAsync(
            () -> session.closeIfIdle(1, new Settings(SettingTable.definitions(), Map.of())));
    held.looked.await();
    CompletableFuture<SqlResponse> call =
        CompletableFuture.supplyAsync(() -> session.execute(REQUEST, Clock.systemUTC()));
    // Refused it would be at once: busy is said without waiting.
    assertThatThrownBy(() -> call.get(100, TimeUnit.MILLISECONDS))
        .isInstanceOf(java.util.concurrent.TimeoutException.class);
    held.goOn.countDown();
    assertThat(look.get()).isFalse();
    assertThat(call.get().status()).isEqualTo(TransactionStatus.IDLE);
  }

  @Test
  @DisplayName("a second call during a call is refused with 55006")
  void secondCall() throws Exception {
    held.holdCalls = true;
    CompletableFuture<SqlResponse> first =
        CompletableFuture.supplyAsync(() -> session.execute(REQUEST, Clock.systemUTC()));
    held.looked.await();
    assertThatThrownBy(() -> session.execute(REQUEST, Clock.systemUTC()))
        .isInstanceOf(PgException.class)
        .hasMessage("session \"abc\" is busy with another call");
    held.goOn.countDown();
    assertThat(first.get()).isNotNull();
    assertThat(session.execute(REQUEST, Clock.systemUTC())).isNotNull();
  }

  /** Stops where it is asked for its status, or in a call, until it is let go on. */
  private static final class HeldSession implements SqlSession {
    final CountDownLatch looked = new CountDownLatch(1);
    final CountDownLatch goOn = new CountDownLatch(1);
    volatile boolean holdCalls;

    @Override
    public long pid() {
      return 1;
    }

    @Override
    public TransactionStatus status() {
      hold();
      return TransactionStatus.IDLE;
    }

    @Override
    public SqlResponse execute(String sql, List<Object> parameters) {
      if (holdCalls) {
        hold();
      }
      return new SqlResponse(List.of(), List.of(), TransactionStatus.IDLE);
    }

    private void hold() {
      looked.countDown();
      try {
        goOn.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void notice(Notice notice) {}

    @Override
    public void cancel() {}

    @Override
    public void close() {}
  }
}
