package dev.millrace.subscriber.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The meeting of apply worker and sync workers")
class HandOversTest {

  private final HandOvers handOvers = new HandOvers();

  private CompletableFuture<Long> waiting(int table, long copiedLsn) {
    handOvers.entered(table);
    CompletableFuture<Long> target =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return handOvers.awaitTarget(table, copiedLsn, () -> false);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    await().until(handOvers::anyWaiting);
    return target;
  }

  @Test
  @DisplayName("the target is the later one of copy and apply position")
  void target() throws Exception {
    CompletableFuture<Long> behind = waiting(1, 100);
    assertThat(handOvers.answer(150)).containsExactly(1);
    assertThat(behind.get()).isEqualTo(150);
    CompletableFuture<Long> ahead = waiting(2, 300);
    assertThat(handOvers.answer(150)).containsExactly(2);
    assertThat(ahead.get()).isEqualTo(300);
    assertThat(handOvers.anyWaiting()).isFalse();
  }

  @Test
  @DisplayName("positions are unsigned")
  void unsigned() throws Exception {
    CompletableFuture<Long> target = waiting(1, 5);
    handOvers.answer(-1L);
    assertThat(target.get()).isEqualTo(-1L);
  }

  @Test
  @DisplayName("the apply worker waits until the table is in s, or its sync worker is gone")
  void awaitsDone() throws Exception {
    waiting(1, 100);
    waiting(2, 100);
    Set<Integer> answered = handOvers.answer(100);
    CompletableFuture<Void> apply =
        CompletableFuture.runAsync(
            () -> {
              try {
                handOvers.awaitDone(answered, () -> false);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    handOvers.done(1);
    assertThat(apply).isNotDone();
    handOvers.left(2);
    await().until(apply::isDone);
    assertThat(handOvers.isActive(1)).isTrue();
    assertThat(handOvers.isActive(2)).isFalse();
  }

  @Test
  @DisplayName("an apply worker that begins waits for tables that catch up for an earlier one")
  void beginsAfterCatchUp() {
    waiting(1, 100);
    handOvers.answer(100);
    CompletableFuture<Void> next =
        CompletableFuture.runAsync(
            () -> {
              try {
                handOvers.awaitCaughtUp(() -> false);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    await().during(Duration.ofMillis(200)).until(() -> !next.isDone());
    handOvers.done(1);
    await().until(next::isDone);
  }

  @Test
  @DisplayName("a worker that is to stop does not wait on")
  void stops() {
    handOvers.entered(1);
    AtomicBoolean stopping = new AtomicBoolean(true);
    assertThatThrownBy(() -> handOvers.awaitTarget(1, 100, stopping::get))
        .hasMessageContaining("due to administrator command");
  }
}
