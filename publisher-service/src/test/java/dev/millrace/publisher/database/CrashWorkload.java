package dev.millrace.publisher.database;

import dev.millrace.model.PgException;
import dev.millrace.sql.SqlSession;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A process that starts a node in a directory and writes to it from several sessions until a fault
 * point kills it, or for a bounded number of transactions. Every fifth transaction is prepared
 * first; what an earlier process left prepared is ended at the start.
 *
 * <p>Prints {@code ack n} when the commit of the insert of number n into table acks was
 * acknowledged, {@code prepared n} and {@code gone n} when its PREPARE or ROLLBACK PREPARED was.
 */
public final class CrashWorkload {

  private static final int TRANSACTIONS = 120;
  private static final Map<String, String> SETTINGS =
      Map.of("lock_timeout", "2s", "max_prepared_transactions", "10");

  private final TestNode node;
  private final long seed;

  private CrashWorkload(TestNode node, long seed) {
    this.node = node;
    this.seed = seed;
  }

  /** Arguments: the directory, a seed, the first number for acks. */
  public static void main(String[] args) throws InterruptedException {
    TestNode node = TestNode.open(Path.of(args[0]), SETTINGS);
    CrashWorkload workload = new CrashWorkload(node, Long.parseLong(args[1]));
    workload.endPrepared(); // Their locks would be in the way of DDL.
    createTables(node);
    int firstAck = Integer.parseInt(args[2]);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int number = i;
      threads.add(new Thread(() -> workload.write(number, firstAck + number * TRANSACTIONS)));
    }
    threads.add(new Thread(workload::define));
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    node.close();
  }

  static void createTables(TestNode node) {
    for (String ddl :
        List.of(
            "CREATE TABLE IF NOT EXISTS acks (id int PRIMARY KEY)",
            "CREATE TABLE IF NOT EXISTS keyed (id int PRIMARY KEY, k int UNIQUE, a text)",
            "CREATE TABLE IF NOT EXISTS bare (a int, b text)",
            "CREATE TABLE IF NOT EXISTS counted (id serial PRIMARY KEY, a text)",
            "CREATE TABLE IF NOT EXISTS parent (id int PRIMARY KEY)",
            "CREATE TABLE IF NOT EXISTS child (id int PRIMARY KEY,"
                + " p int REFERENCES parent ON DELETE CASCADE)",
            "CREATE TABLE IF NOT EXISTS shaped (id int PRIMARY KEY)")) {
      node.run(ddl);
    }
  }

  private void write(int thread, int firstAck) {
    Random random = new Random(seed * 31 + thread);
    try (SqlSession session = node.session()) {
      for (int i = 0; i < TRANSACTIONS; i++) {
        if (random.nextInt(20) == 0) {
          node.node().checkpoint();
        }
        int ack = firstAck + i;
        if (transaction(session, random, ack)) {
          System.out.println("ack " + ack);
        }
      }
    }
  }

  private void endPrepared() {
    Random random = new Random(seed);
    try (SqlSession session = node.session()) {
      for (PublisherNode.PreparedXact each : node.node().preparedTransactions()) {
        int ack = Integer.parseInt(each.gid());
        if (end(session, ack, random.nextBoolean())) {
          System.out.println("ack " + ack);
        }
      }
    }
  }

  /** Ends a prepared transaction; true when it committed. */
  private static boolean end(SqlSession session, int ack, boolean commit) {
    session.execute((commit ? "COMMIT" : "ROLLBACK") + " PREPARED '" + ack + "'", List.of());
    if (!commit) {
      System.out.println("gone " + ack);
    }
    return commit;
  }

  private boolean transaction(SqlSession session, Random random, int ack) {
    try {
      session.execute("BEGIN; INSERT INTO acks VALUES (" + ack + ")", List.of());
      for (int left = random.nextInt(5); left > 0; left--) {
        statement(session, random);
      }
      if (random.nextInt(5) == 0) {
        session.execute("PREPARE TRANSACTION '" + ack + "'", List.of());
        System.out.println("prepared " + ack);
        if (random.nextInt(4) == 0) {
          node.node().checkpoint();
        }
        return end(session, ack, random.nextInt(3) > 0);
      }
      boolean commit = random.nextInt(6) > 0;
      session.execute(commit ? "COMMIT" : "ROLLBACK", List.of());
      return commit;
    } catch (PgException e) {
      session.execute("ROLLBACK", List.of()); // Key and lock conflicts are part of the game.
      return false;
    }
  }

  private static void statement(SqlSession session, Random random) {
    int n = random.nextInt(200);
    String sql =
        switch (random.nextInt(12)) {
          case 0 -> "INSERT INTO keyed VALUES (" + n + ", " + n + ", 'a" + n + "')";
          case 1 -> "UPDATE keyed SET a = repeat('x', " + n * 20 + ") WHERE id < " + n;
          case 2 -> "UPDATE keyed SET k = k + 1000 WHERE id = " + n;
          case 3 -> "DELETE FROM keyed WHERE id % 7 = " + n % 7;
          case 4 -> "INSERT INTO bare SELECT x % 3, 'dup' FROM generate_series(1, 9) AS s(x)";
          case 5 -> "DELETE FROM bare WHERE a = " + n % 3;
          case 6 -> "INSERT INTO counted (a) VALUES ('one'), ('two')";
          case 7 -> "INSERT INTO parent VALUES (" + n + ")";
          case 8 -> "INSERT INTO child SELECT " + n + ", min(id) FROM parent";
          case 9 -> "DELETE FROM parent WHERE id % 5 = " + n % 5;
          case 10 ->
              "SAVEPOINT s; UPDATE bare SET b = 'gone'; INSERT INTO keyed VALUES (-"
                  + n
                  + ", NULL, 'x'); ROLLBACK TO s";
          default ->
              n % 4 == 0
                  ? "TRUNCATE bare, counted RESTART IDENTITY"
                  : "INSERT INTO shaped (id) VALUES (" + n + ")";
        };
    session.execute(sql, List.of());
  }

  private void define() {
    Random random = new Random(seed * 31 + 99);
    for (int i = 0; i < 12; i++) {
      String sql =
          switch (random.nextInt(6)) {
            case 0 -> "ALTER TABLE shaped ADD COLUMN c" + random.nextInt(3) + " text";
            case 1 -> "ALTER TABLE shaped DROP COLUMN c" + random.nextInt(3);
            case 2 -> "CREATE TABLE extra" + random.nextInt(3) + " (id int, a text)";
            case 3 -> "DROP TABLE extra" + random.nextInt(3);
            case 4 -> "ALTER TABLE bare REPLICA IDENTITY " + (i % 2 == 0 ? "FULL" : "DEFAULT");
            default -> "CREATE INDEX ON keyed (a)";
          };
      try {
        node.run(sql);
      } catch (PgException e) {
        continue; // The column or table is there, or is not, or a lock was not to be had.
      }
    }
  }
}
