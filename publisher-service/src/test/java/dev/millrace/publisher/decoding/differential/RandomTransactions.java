package dev.millrace.publisher.decoding.differential;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Makes up what several sessions do side by side, from a seed: transactions with savepoints, key
 * changes, large values, truncations, logical messages, prepared transactions, and now and then a
 * statement that fails.
 *
 * <p>Nothing it does waits for a lock: each session has keys of its own (by their remainder), and a
 * table is truncated only while no other open transaction has used it, and then left to that
 * transaction. So both servers can be driven step by step from one thread.
 */
final class RandomTransactions {

  static final int SESSIONS = 3;

  /** What both servers start with. */
  static final List<String> SETUP =
      List.of(
          "CREATE TABLE d (id int PRIMARY KEY, n int, v text, big text)",
          "CREATE TABLE f (id int PRIMARY KEY, n int, v text)",
          "ALTER TABLE f REPLICA IDENTITY FULL",
          "CREATE TABLE ix (id int NOT NULL, n int, v text)",
          "CREATE UNIQUE INDEX ix_id ON ix (id)",
          "ALTER TABLE ix REPLICA IDENTITY USING INDEX ix_id",
          "CREATE TABLE c (id int, v text, n int, PRIMARY KEY (v, id))",
          "CREATE TABLE nk (id int, n int, v text)",
          "INSERT INTO d (id, n, v) SELECT x, x, 'a' FROM generate_series(0, 89) x",
          "INSERT INTO f (id, n, v) SELECT x, x, 'b' FROM generate_series(0, 89) x",
          "INSERT INTO ix (id, n, v) SELECT x, x, 'c' FROM generate_series(30, 119) x",
          "INSERT INTO c (id, v, n) SELECT x, 'a', x FROM generate_series(0, 89) x",
          "CREATE PUBLICATION pall FOR TABLE d, f, ix, c, nk",
          "CREATE PUBLICATION pfil FOR TABLE d WHERE (id % 2 = 0), f WHERE (n > 50),"
              + " ix WHERE (id < 100), c (v, id)",
          "CREATE PUBLICATION pins FOR TABLE d WHERE (n IS NULL OR v LIKE 'a%'),"
              + " f WHERE (v = 'b' OR n < 10) WITH (publish = 'insert')",
          "CREATE PUBLICATION plist FOR TABLE d (v, id), ix (id, n)");

  static final List<String> TABLES = List.of("d", "f", "ix", "c", "nk");
  private static final String[] TEXTS = {"a", "ab", "b", "it's", "é\\x", ""};

  private final Random random;
  private final ArrayDeque<Step> next = new ArrayDeque<>();
  private final Open[] open = new Open[SESSIONS];
  private int names;

  /** An open or prepared transaction. */
  private static final class Open {
    final Set<String> used = new HashSet<>();
    final Set<String> alone = new HashSet<>();
    final List<String> savepoints = new ArrayList<>();
    String gid;
    boolean failed;
  }

  RandomTransactions(long seed) {
    random = new Random(seed);
  }

  /** Another step. */
  Step next() {
    while (next.isEmpty()) {
      step(random.nextInt(SESSIONS));
    }
    return next.poll();
  }

  /** A step that ends what is open; null when nothing is. */
  Step last() {
    for (int session = 0; session < SESSIONS && next.isEmpty(); session++) {
      if (open[session] != null) {
        end(session);
      }
    }
    return next.poll();
  }

  /** The step has failed, and with it the transaction it was in. */
  void failed(Step step) {
    if (open[step.session()] != null) {
      open[step.session()].failed = true;
    }
  }

  private void add(int session, String sql) {
    next.add(new Step(session, sql));
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  private void step(int session) {
    Open transaction = open[session];
    if (transaction == null) {
      if (chance(60)) {
        add(session, "BEGIN");
        open[session] = new Open();
      } else {
        statement(session, new Open());
      }
    } else if (transaction.gid != null) {
      end(session);
    } else if (transaction.failed && chance(80)) {
      recover(session, transaction);
    } else if (chance(12)) {
      end(session);
    } else if (chance(20)) {
      savepoint(session, transaction);
    } else {
      statement(session, transaction);
    }
  }

  private void recover(int session, Open transaction) {
    if (transaction.savepoints.isEmpty() || chance(30)) {
      add(session, "ROLLBACK");
      open[session] = null;
      return;
    }
    int last = transaction.savepoints.size() - 1;
    add(session, "ROLLBACK TO SAVEPOINT " + transaction.savepoints.get(last));
    transaction.failed = false;
  }

  private void end(int session) {
    Open transaction = open[session];
    if (transaction.gid != null) {
      add(session, (chance(60) ? "COMMIT" : "ROLLBACK") + " PREPARED '" + transaction.gid + "'");
    } else if (chance(20)) {
      transaction.gid = "gid" + names++;
      add(session, "PREPARE TRANSACTION '" + transaction.gid + "'");
      return;
    } else {
      add(session, chance(75) ? "COMMIT" : "ROLLBACK");
    }
    open[session] = null;
  }

  private void savepoint(int session, Open transaction) {
    if (transaction.savepoints.isEmpty() || chance(50)) {
      String name = "s" + names++;
      transaction.savepoints.add(name);
      add(session, "SAVEPOINT " + name);
      return;
    }
    int index = random.nextInt(transaction.savepoints.size());
    String name = transaction.savepoints.get(index);
    boolean release = chance(40);
    add(session, (release ? "RELEASE SAVEPOINT " : "ROLLBACK TO SAVEPOINT ") + name);
    transaction.failed &= release;
    int kept = release ? index : index + 1;
    transaction.savepoints.subList(kept, transaction.savepoints.size()).clear();
  }

  private void statement(int session, Open transaction) {
    if (chance(4)) {
      boolean transactional = chance(70);
      add(
          session,
          "SELECT pg_logical_emit_message(" + transactional + ", 'p', 'm" + names++ + "')");
      return;
    }
    String table = TABLES.get(random.nextInt(TABLES.size()));
    if (isTaken(table, transaction) || isTaken("d", transaction)) {
      return;
    }
    transaction.used.add(table);
    transaction.used.add("d"); // INSERT .. SELECT reads it.
    if (chance(3) && isUnused(table, transaction)) {
      transaction.alone.add(table);
      add(session, "TRUNCATE " + table + (chance(30) ? " RESTART IDENTITY" : ""));
    } else {
      add(session, change(table, session));
    }
  }

  private boolean isTaken(String table, Open mine) {
    for (Open other : open) {
      if (other != null && other != mine && other.alone.contains(table)) {
        return true;
      }
    }
    return false;
  }

  private boolean isUnused(String table, Open mine) {
    for (Open other : open) {
      if (other != null && other != mine && other.used.contains(table)) {
        return false;
      }
    }
    return true;
  }

  private String change(String table, int session) {
    String key = " WHERE id = " + key(session);
    // Without an identity only INSERT is let through; a few others show that they are not.
    int kind = table.equals("nk") && chance(90) ? random.nextInt(4) : random.nextInt(11);
    if (table.equals("ix") && (kind == 2 || kind == 3)) {
      kind = 0; // Several rows at once wait for other writers of a table with a secondary key.
    }
    switch (kind) {
      case 0, 1:
        return insert(table, row(session)) + (chance(60) ? " ON CONFLICT DO NOTHING" : "");
      case 2:
        return insert(table, row(session) + ", " + row(session));
      case 3:
        return "INSERT INTO "
            + table
            + " (id, n, v) SELECT id, n, v FROM d WHERE n < 20 AND id % "
            + SESSIONS
            + " = "
            + session;
      case 4, 5:
        return "UPDATE " + table + " SET n = " + number() + key;
      case 6:
        return "UPDATE " + table + " SET v = " + text() + key;
      case 7:
        return "UPDATE " + table + " SET id = " + key(session) + key;
      case 8:
        return table.equals("d")
            ? "UPDATE d SET big = repeat('" + (char) ('a' + random.nextInt(3)) + "', 3000)" + key
            : "UPDATE " + table + " SET n = n" + key;
      case 9:
        int from = random.nextInt(150);
        return "UPDATE "
            + table
            + " SET v = v || 'x' WHERE id BETWEEN "
            + from
            + " AND "
            + (from + 20)
            + " AND id % "
            + SESSIONS
            + " = "
            + session;
      default:
        return "DELETE FROM " + table + key;
    }
  }

  private static String insert(String table, String rows) {
    return "INSERT INTO " + table + " (id, n, v) VALUES " + rows;
  }

  private int key(int session) {
    return random.nextInt(50) * SESSIONS + session;
  }

  private String number() {
    return chance(15) ? "NULL" : String.valueOf(random.nextInt(100));
  }

  private String text() {
    return "'" + TEXTS[random.nextInt(TEXTS.length)].replace("'", "''") + "'";
  }

  private String row(int session) {
    return "(" + key(session) + ", " + number() + ", " + text() + ")";
  }
}
