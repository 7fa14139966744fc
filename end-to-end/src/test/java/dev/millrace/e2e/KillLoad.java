package dev.millrace.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.tools.MillraceApi;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writers that go on while the publisher dies and comes back, and remember what was acknowledged.
 * Each writer owns its keys, so the last acknowledged value of a key is known; a call without
 * answer may have happened or not.
 */
final class KillLoad {

  private static final int WRITERS = 3;
  private static final int KEYS_PER_WRITER = 1_000_000;

  private final MillraceApi publisher;
  private final int tables;
  private final long seed;
  private final Writers writers;
  private final AtomicLong acknowledged = new AtomicLong();
  private final Map<Integer, Map<Integer, Integer>> certain = new ConcurrentHashMap<>();
  private final Map<Integer, Map<Integer, Boolean>> uncertain = new ConcurrentHashMap<>();

  KillLoad(MillraceApi publisher, int tables, long seed) {
    this.publisher = publisher;
    this.tables = tables;
    this.seed = seed;
    this.writers = new Writers(seed, 5, 50);
    for (int table = 0; table < tables; table++) {
      certain.put(table, new ConcurrentHashMap<>());
      uncertain.put(table, new ConcurrentHashMap<>());
    }
  }

  void start() {
    for (int writer = 0; writer < WRITERS; writer++) {
      AtomicInteger nextKey = new AtomicInteger(1 + writer * KEYS_PER_WRITER);
      int firstKey = nextKey.get();
      writers.begin("writer-" + writer, random -> write(random, firstKey, nextKey));
    }
  }

  void stop() {
    writers.stop();
  }

  long acknowledged() {
    return acknowledged.get();
  }

  private void write(SplittableRandom random, int firstKey, AtomicInteger next) {
    int table = random.nextInt(tables);
    int rows = random.nextInt(30) == 0 ? 1_500 : random.nextInt(1, 8);
    int value = random.nextInt(1_000_000);
    int nextKey = next.getAndAdd(rows);
    Map<Integer, Integer> effects = new HashMap<>();
    StringBuilder sql = new StringBuilder("BEGIN;");
    sql.append(
        "INSERT INTO k%d SELECT x, 'row ' || x, %d FROM generate_series(%d, %d) AS g(x);"
            .formatted(table, value, nextKey, nextKey + rows - 1));
    for (int key = nextKey; key < nextKey + rows; key++) {
      effects.put(key, value);
    }
    if (random.nextBoolean() && nextKey > firstKey) {
      int updated = random.nextInt(firstKey, nextKey);
      sql.append("UPDATE k%d SET n = %d WHERE id = %d;".formatted(table, value + 1, updated));
      if (isCertain(table, updated)) {
        effects.put(updated, value + 1);
      }
    }
    sql.append(
        "SAVEPOINT s; INSERT INTO k%d VALUES (%d, 'gone', 1); ROLLBACK TO s;"
            .formatted(table, nextKey + rows));
    boolean commit = random.nextInt(8) != 0;
    sql.append(commit ? "COMMIT" : "ROLLBACK");
    run(table, sql.toString(), commit ? effects : Map.of());
  }

  /** An UPDATE of a row that may not be there tells nothing about the row. */
  private boolean isCertain(int table, int key) {
    return certain.get(table).containsKey(key) && !uncertain.get(table).containsKey(key);
  }

  private void run(int table, String sql, Map<Integer, Integer> effects) {
    try {
      publisher.sql(sql);
    } catch (UncheckedIOException | MillraceApi.Refused e) {
      effects.forEach((key, value) -> uncertain.get(table).put(key, true));
      throw e;
    }
    effects.forEach(certain.get(table)::put);
    acknowledged.incrementAndGet();
  }

  /** What was acknowledged of a table, to be held against its rows. Call after {@link #stop}. */
  Acknowledged acknowledged(int table) {
    return new Acknowledged(table, new HashMap<>(certain.get(table)));
  }

  /** Every acknowledged row is there with its last acknowledged value, and no row twice. */
  final class Acknowledged {

    private final int table;
    private final Map<Integer, Integer> expected;
    private int lastKey = Integer.MIN_VALUE;

    private Acknowledged(int table, Map<Integer, Integer> expected) {
      this.table = table;
      this.expected = expected;
      expected.keySet().removeAll(uncertain.get(table).keySet());
    }

    /** The next row in the order of its key. */
    void see(List<String> row) {
      int key = Integer.parseInt(row.get(0));
      assertThat(key).as("row %s comes once, seed %d", row, seed).isGreaterThan(lastKey);
      assertThat(row.get(1))
          .as("row of a rolled back savepoint, seed %d", seed)
          .isNotEqualTo("gone");
      Integer value = expected.remove(key);
      if (value != null) {
        assertThat(row.get(2)).as("k%d key %d, seed %d", table, key, seed).isEqualTo("" + value);
      }
      lastKey = key;
    }

    void assertAllSeen() {
      assertThat(expected).as("acknowledged and missing in k%d, seed %d", table, seed).isEmpty();
    }
  }
}
