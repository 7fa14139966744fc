package dev.millrace.e2e;

import dev.millrace.tools.MillraceApi;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Threads that write one transaction after the other, with a random source each, while the node
 * they write to dies and comes back.
 */
final class Writers {

  private final long seed;
  private final int restMs;
  private final int restAfterFailureMs;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean running = true;

  Writers(long seed, int restMs, int restAfterFailureMs) {
    this.seed = seed;
    this.restMs = restMs;
    this.restAfterFailureMs = restAfterFailureMs;
  }

  /** Starts a writer; {@code transaction} may fail as calls to a dead node do. */
  void begin(String name, Consumer<SplittableRandom> transaction) {
    SplittableRandom random = new SplittableRandom(seed * 31 + threads.size());
    Thread thread =
        new Thread(
            () -> {
              while (running) {
                attempt(transaction, random);
              }
            },
            name);
    threads.add(thread);
    thread.start();
  }

  private void attempt(Consumer<SplittableRandom> transaction, SplittableRandom random) {
    try {
      transaction.accept(random);
      pause(restMs);
    } catch (UncheckedIOException | MillraceApi.Refused | SqlNode.Failed e) {
      pause(restAfterFailureMs);
    }
  }

  static void pause(int millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns when the last transactions have ended. */
  void stop() {
    running = false;
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    threads.clear();
  }
}
