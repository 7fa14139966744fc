package dev.millrace.publisher.decoding.differential;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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

  private static final String PUBLICATIONS = "publications";

  private final Random random;
  private final ArrayDeque<Step> next = new ArrayDeque<>();
  private final Map<Step, Runnable> undo = new HashMap<>();
  private final Open[] open = new Open[SESSIONS];
  private final boolean[] hasOrigin = new boolean[SESSIONS];
  private final String origins;
  private final List<RandomTable> tables;
  private final RandomTable d;
  private final RandomDefinitions definitions;
  private final Set<String> withFailures = new HashSet<>();
  private int names;

  /** An open or prepared transaction. */
  private static final class Open {
    final Set<Object> used = new HashSet<>();
    final Set<Object> alone = new HashSet<>();
    final List<String> savepoints = new ArrayList<>();
    String gid;
    boolean failed;
    boolean hadFailure;
  }

  /**
   * @param origins what the names of the replication origins begin with, one for each session
   */
  RandomTransactions(long seed, String origins) {
    this.random = new Random(seed);
    this.origins = origins;
    this.d = table("d", "id int PRIMARY KEY, n int, v text, big text");
    this.tables =
        List.of(
            d,
            table("f", "id int PRIMARY KEY, n int, v text"),
            table("ix", "id int NOT NULL, n int, v text"),
            table("c", "id int, v text, n int, PRIMARY KEY (v, id)"),
            table("nk", "id int, n int, v text"),
            table("pa", "id int PRIMARY KEY, n int, v text"),
            table("ch", "id int PRIMARY KEY, n int REFERENCES pa ON DELETE CASCADE, v text"),
            table(
                "ty",
                "id int PRIMARY KEY, g int GENERATED ALWAYS AS (id * 2) STORED, n int, v text",
                Arrays.stream(RandomTable.Type.values())
                    .map(type -> new RandomTable.Column("t" + type.ordinal(), type))
                    .toArray(RandomTable.Column[]::new)));
    this.definitions = new RandomDefinitions(random, tables);
  }

  private RandomTable table(String name, String definition, RandomTable.Column... extra) {
    return new RandomTable(name, definition, random, extra);
  }

  /** What both servers start with. */
  List<String> setup() {
    List<String> setup = new ArrayList<>(tables.stream().map(RandomTable::create).toList());
    setup.addAll(
        List.of(
            "ALTER TABLE f REPLICA IDENTITY FULL",
            "CREATE UNIQUE INDEX ix_id ON ix (id)",
            "ALTER TABLE ix REPLICA IDENTITY USING INDEX ix_id",
            "INSERT INTO d (id, n, v) SELECT x, x, 'a' FROM generate_series(0, 89) x",
            "INSERT INTO f (id, n, v) SELECT x, x, 'b' FROM generate_series(0, 89) x",
            "INSERT INTO ix (id, n, v) SELECT x, x, 'c' FROM generate_series(30, 119) x",
            "INSERT INTO c (id, v, n) SELECT x, 'a', x FROM generate_series(0, 89) x",
            "INSERT INTO pa (id, n, v) SELECT x, x, 'a' FROM generate_series(0, 89) x",
            "CREATE PUBLICATION pall FOR TABLE d, f, ix, c, pa, ch, ty",
            "CREATE PUBLICATION pevery FOR ALL TABLES WITH (publish = 'insert, truncate')",
            "CREATE PUBLICATION pfil FOR TABLE d WHERE (id % 2 = 0), f WHERE (n > 50),"
                + " ix WHERE (id < 100), c (v, id)",
            "CREATE PUBLICATION pins FOR TABLE d WHERE (n IS NULL OR v LIKE 'a%'),"
                + " f WHERE (v = 'b' OR n < 10) WITH (publish = 'insert')",
            "CREATE PUBLICATION plist FOR TABLE d (v, id), ix (id, n)"));
    for (int session = 0; session < SESSIONS; session++) {
      setup.add("SELECT pg_replication_origin_create('" + origins + session + "')");
    }
    return setup;
  }

  /** The identifiers of the prepared transactions in which a statement had failed. */
  Set<String> withFailures() {
    return withFailures;
  }

  List<RandomTable> tables() {
    return tables;
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
      } else if (hasOrigin[session]) {
        origin(session);
      }
    }
    return next.poll();
  }

  /** The step has failed, and with it the transaction it was in. */
  void failed(Step step) {
    Runnable taken = undo.remove(step);
    if (taken != null) {
      taken.run();
    }
    if (open[step.session()] != null) {
      open[step.session()].failed = true;
      open[step.session()].hadFailure = true;
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
    if (chance(3)) {
      definition(session);
    } else if (transaction == null) {
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

  /** DDL, after the transactions that have used the table have ended. */
  private void definition(int session) {
    RandomTable table = tables.get(random.nextInt(tables.size()));
    for (int i = 0; i < SESSIONS; i++) {
      if (open[i] != null && (i == session || open[i].used.contains(table))) {
        boolean commit = chance(80);
        String prepared = open[i].gid == null ? "" : " PREPARED '" + open[i].gid + "'";
        add(i, (commit ? "COMMIT" : "ROLLBACK") + prepared);
        open[i] = null;
      }
    }
    RandomDefinitions.Ddl ddl = definitions.table(table);
    ddl.statements().forEach(sql -> add(session, sql));
    undo.put(new Step(session, ddl.statements().get(ddl.statements().size() - 1)), ddl.undo());
  }

  private void origin(int session) {
    hasOrigin[session] = !hasOrigin[session];
    add(
        session,
        hasOrigin[session]
            ? "SELECT pg_replication_origin_session_setup('" + origins + session + "')"
            : "SELECT pg_replication_origin_session_reset()");
    if (hasOrigin[session] && open[session] != null && chance(50)) {
      String lsn = "0/" + Integer.toHexString(random.nextInt(1 << 20)).toUpperCase(Locale.ROOT);
      add(
          session,
          "SELECT pg_replication_origin_xact_setup('" + lsn + "', '2024-01-02 03:04:05+00')");
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
      if (transaction.hadFailure) {
        withFailures.add(transaction.gid);
      }
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
    } else if (chance(3) && !transaction.failed) {
      origin(session);
    } else if (chance(8)) {
      publication(session, transaction);
    } else {
      change(session, transaction, tables.get(random.nextInt(tables.size())));
    }
  }

  /** It locks tables against TRUNCATE and other publication changes. */
  private void publication(int session, Open transaction) {
    if (isTaken(PUBLICATIONS, transaction)
        || tables.stream().anyMatch(table -> isTaken(table, transaction))) {
      return;
    }
    transaction.alone.add(PUBLICATIONS);
    transaction.used.addAll(tables);
    add(session, definitions.publication());
  }

  private void change(int session, Open transaction, RandomTable table) {
    if (isTaken(table, transaction) || isTaken(d, transaction)) {
      return;
    }
    // Tables tied by a foreign key are locked together here, and their rows in PostgreSQL.
    List<RandomTable> group =
        isTied(table) ? tables.stream().filter(this::isTied).toList() : List.of();
    if (group.stream().anyMatch(each -> !isUnused(each, transaction))) {
      return;
    }
    transaction.used.addAll(group);
    transaction.alone.addAll(group);
    transaction.used.add(table);
    transaction.used.add(d); // INSERT .. SELECT reads it.
    if (chance(3) && isUnused(table, transaction)) {
      transaction.alone.add(table);
      String cascade = isTied(table) && chance(70) ? " CASCADE" : "";
      add(session, "TRUNCATE " + table.name() + (chance(30) ? " RESTART IDENTITY" : "") + cascade);
    } else {
      add(session, change(table, session));
    }
  }

  private boolean isTied(RandomTable table) {
    return table.name().startsWith("pa") || table.name().startsWith("ch");
  }

  private boolean isTaken(Object what, Open mine) {
    for (Open other : open) {
      if (other != null && other != mine && other.alone.contains(what)) {
        return true;
      }
    }
    return false;
  }

  private boolean isUnused(RandomTable table, Open mine) {
    for (Open other : open) {
      if (other != null && other != mine && other.used.contains(table)) {
        return false;
      }
    }
    return true;
  }

  private String change(RandomTable table, int session) {
    boolean keyless = table.name().startsWith("nk");
    // Without an identity only INSERT is let through; a few others show that they are not.
    int kind = keyless && chance(80) ? random.nextInt(4) : random.nextInt(12);
    if (table.name().startsWith("ix") && (kind == 2 || kind == 3)) {
      kind = 0; // Several rows at once wait for other writers of a table with a secondary key.
    }
    switch (kind) {
      case 0, 1:
        return table.insert(session, 1) + (chance(60) ? " ON CONFLICT DO NOTHING" : "");
      case 2:
        return table.insert(session, 2);
      case 3:
        return "INSERT INTO "
            + table.name()
            + " (id, n, v) SELECT id, n, v FROM "
            + d.name()
            + " WHERE n < 20"
            + RandomTable.own(session);
      case 4, 5:
        return table.updateNumber(session);
      case 6:
        return table.updateText(session);
      case 7:
        return table.updateKey(session);
      case 8:
        return table == d ? d.updateLarge(session) : table.updateExtra(session);
      case 9:
        return table.updateMany(session);
      case 10:
        return table.updateExtra(session);
      default:
        return table.delete(session);
    }
  }
}
