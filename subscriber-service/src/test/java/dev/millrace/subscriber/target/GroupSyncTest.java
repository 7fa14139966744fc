package dev.millrace.subscriber.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A sync shared by many callers")
class GroupSyncTest {

  private final AtomicInteger begun = new AtomicInteger();
  private final Semaphore go = new Semaphore(0);
  private final GroupSync syncs =
      new GroupSync(
          () -> {
            begun.incrementAndGet();
            go.acquireUninterruptibly();
          },
          task -> new Thread(task).start(),
          () -> {});

  @Test
  @DisplayName("callers that come while one runs share the next one")
  void shares() {
    CompletableFuture<Void> first = CompletableFuture.runAsync(syncs::await);
    await().until(() -> begun.get() == 1);
    List<CompletableFuture<Void>> later = new ArrayList<>();
    AtomicInteger entered = new AtomicInteger();
    for (int i = 0; i < 3; i++) {
      Thread thread =
          new Thread(
              () -> {
                entered.incrementAndGet();
                syncs.await();
              });
      CompletableFuture<Void> done = new CompletableFuture<>();
      later.add(done);
      thread.start();
      new Thread(
              () -> {
                try {
                  thread.join();
                  done.complete(null);
                } catch (InterruptedException e) {
                  done.completeExceptionally(e);
                }
              })
          .start();
    }
    await().until(() -> entered.get() == 3);
    go.release();
    await().until(first::isDone);
    await().until(() -> begun.get() == 2);
    assertThat(later).noneMatch(CompletableFuture::isDone);
    go.release(2);
    await().until(() -> later.stream().allMatch(CompletableFuture::isDone));
    assertThat(begun.get()).isBetween(2, 3);
  }

  @Test
  @DisplayName("a sync that fails fails those who waited for it; the next caller runs another one")
  void failure() {
    AtomicInteger runs = new AtomicInteger();
    GroupSync failing =
        new GroupSync(
            () -> {
              if (runs.incrementAndGet() == 1) {
                throw new IllegalStateException("disk");
              }
            },
            task -> new Thread(task).start(),
            () -> {});
    assertThatThrownBy(failing::await).hasMessage("disk");
    failing.await();
    assertThat(runs.get()).isEqualTo(2);
  }

  @Test
  @DisplayName("who waits is let go when waiting has become pointless, and served later")
  void pointless() {
    AtomicBoolean full = new AtomicBoolean();
    GroupSync stuck =
        new GroupSync(
            () -> {
              full.set(true);
              go.acquireUninterruptibly();
            },
            task -> new Thread(task).start(),
            () -> {
              if (full.get()) {
                throw new IllegalStateException("full");
              }
            });
    assertThatThrownBy(stuck::await).hasMessage("full");
    assertThatThrownBy(stuck::await).hasMessage("full");
    go.release();
    await().untilAsserted(() -> assertThat(go.availablePermits()).isZero());
    full.set(false);
    go.release();
    CompletableFuture<Void> served = CompletableFuture.runAsync(stuck::await);
    await().until(served::isDone);
  }
}
