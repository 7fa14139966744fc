package dev.millrace.publisher.source;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sessions that write to table {@code t (id int primary key, v text)} of the source: small and
 * large transactions, rolled back ones, savepoints, prepared transactions, messages.
 */
final class SourceLoad implements AutoCloseable {

  private static final int SESSIONS = 3;
  private static final int LARGE = 400;

  private final SourcePostgres source;
  private final AtomicInteger id = new AtomicInteger();
  private final AtomicInteger gid = new AtomicInteger();
  private final List<Thread> threads = new ArrayList<>();
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private volatile boolean stopping;

  SourceLoad(SourcePostgres source, long seed) {
    this.source = source;
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < SESSIONS; i++) {
      SplittableRandom own = random.split();
      Thread thread = new Thread(() -> work(own));
      thread.start();
      threads.add(thread);
    }
  }

  private void work(SplittableRandom random) {
    try (Connection connection = source.connect();
        Statement session = connection.createStatement()) {
      while (!stopping) {
        transaction(session, random);
      }
    } catch (SQLException | RuntimeException e) {
      failures.add(e);
    }
  }

  private void transaction(Statement session, SplittableRandom random) throws SQLException {
    session.execute("BEGIN");
    insert(session, random);
    if (random.nextInt(3) == 0) {
      session.execute("SAVEPOINT s");
      insert(session, random);
      session.execute(random.nextBoolean() ? "ROLLBACK TO s" : "RELEASE s");
      insert(session, random);
    }
    if (random.nextInt(5) == 0) {
      session.execute(
          "SELECT pg_logical_emit_message(%s, 'load', 'm%d')"
              .formatted(random.nextBoolean(), id.incrementAndGet()));
    }
    if (random.nextInt(4) == 0) {
      String name = "g" + gid.incrementAndGet();
      session.execute("PREPARE TRANSACTION '" + name + "'");
      pause(session, random);
      session.execute(
          (random.nextInt(4) == 0 ? "ROLLBACK" : "COMMIT") + " PREPARED '" + name + "'");
    } else {
      session.execute(random.nextInt(6) == 0 ? "ROLLBACK" : "COMMIT");
    }
    pause(session, random);
  }

  private static void pause(Statement session, SplittableRandom random) throws SQLException {
    session.execute("SELECT pg_sleep(" + random.nextInt(600) / 1000.0 + ")");
  }

  private void insert(Statement session, SplittableRandom random) throws SQLException {
    int rows = random.nextInt(12) == 0 ? LARGE : 1 + random.nextInt(3);
    int first = id.getAndAdd(rows) + 1;
    session.execute(
        "INSERT INTO t SELECT i, repeat('x', 200) FROM generate_series(%d, %d) i"
            .formatted(first, first + rows - 1));
  }

  /** Ends the sessions after their transactions. */
  @Override
  public void close() throws InterruptedException {
    stopping = true;
    for (Thread thread : threads) {
      thread.join();
    }
    if (!failures.isEmpty()) {
      throw new AssertionError(failures.peek());
    }
  }
}
