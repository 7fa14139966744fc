package dev.millrace.tools.bench;

import dev.millrace.tools.MillraceApi;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Several sessions that work side by side. */
final class Clients {

  /** The work of one client. */
  @FunctionalInterface
  interface Client {
    void run(int number, MillraceApi.Session session) throws Exception;
  }

  private Clients() {}

  /** Runs the clients, each in a session of its own, and returns when all have ended. */
  static void run(MillraceApi api, int count, Client client) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(count);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int number = i;
        running.add(
            threads.submit(
                () -> {
                  try (MillraceApi.Session session = api.openSession()) {
                    client.run(number, session);
                  }
                  return null;
                }));
      }
      for (Future<?> future : running) {
        future.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
