package dev.millrace.tools.demo;

import dev.millrace.tools.MillraceApi;
import dev.millrace.tools.Replication;
import dev.millrace.tools.TwoServices;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;

/**
 * 1,000 transactions of the kind pgbench runs by default, from four sessions, with the lag shown
 * beside.
 */
final class TpcB {

  private static final int TRANSACTIONS = 1_000;
  private static final int CLIENTS = 4;
  private static final long SEED = 20_261_129;

  private final TwoServices services;
  private final AtomicInteger done = new AtomicInteger();

  TpcB(TwoServices services) {
    this.services = services;
  }

  void run() throws Exception {
    Demo.step("%d TPC-B transactions from %d sessions".formatted(TRANSACTIONS, CLIENTS));
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    long start = System.nanoTime();
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int client = 0; client < CLIENTS; client++) {
        SplittableRandom random = new SplittableRandom(SEED + client);
        running.add(clients.submit(() -> client(random)));
      }
      while (!running.stream().allMatch(Future::isDone)) {
        printLag();
        pause();
      }
      for (Future<?> client : running) {
        client.get();
      }
    } finally {
      clients.shutdownNow();
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    Demo.say("%d transactions in %.1f s, %.0f a second", done.get(), seconds, done.get() / seconds);
    Replication.awaitCaughtUp(services.publisher(), "mysub", 300_000);
    printLag();
  }

  private static void pause() throws InterruptedException {
    java.util.concurrent.TimeUnit.MILLISECONDS.sleep(500);
  }

  private void client(SplittableRandom random) {
    try (MillraceApi.Session session = services.publisher().openSession()) {
      for (int i = 0; i < TRANSACTIONS / CLIENTS; i++) {
        int aid = random.nextInt(1, DemoTables.ACCOUNTS + 1);
        int tid = random.nextInt(1, 11);
        int delta = random.nextInt(-5_000, 5_001);
        session.sql(
            String.format(
                Locale.ROOT,
                """
                BEGIN;
                UPDATE pgbench_accounts SET abalance = abalance + %2$d WHERE aid = %1$d;
                SELECT abalance FROM pgbench_accounts WHERE aid = %1$d;
                UPDATE pgbench_tellers SET tbalance = tbalance + %2$d WHERE tid = %3$d;
                UPDATE pgbench_branches SET bbalance = bbalance + %2$d WHERE bid = 1;
                INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (%3$d, 1, %1$d, %2$d, CURRENT_TIMESTAMP);
                COMMIT
                """,
                aid,
                delta,
                tid));
        done.incrementAndGet();
      }
    }
  }

  private void printLag() {
    JsonNode slot = services.publisher().get("/api/v1/slots/mysub");
    String confirmed = slot.get("confirmed_flush_lsn").asString();
    String current = services.publisher().value("SELECT pg_current_wal_lsn()");
    Demo.say(
        "%5d done   publisher at %s   subscriber confirmed %s   lag %,d bytes",
        done.get(), current, confirmed, Replication.lsn(current) - Replication.lsn(confirmed));
  }
}
