package dev.millrace.publisher.decoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.atIndex;

import dev.millrace.model.PgTime;
import dev.millrace.pgoutput.Begin;
import dev.millrace.pgoutput.Delete;
import dev.millrace.pgoutput.Insert;
import dev.millrace.pgoutput.PgOutputMessage;
import dev.millrace.pgoutput.PgOutputReader;
import dev.millrace.pgoutput.Relation;
import dev.millrace.pgoutput.Truncate;
import dev.millrace.pgoutput.TupleData;
import dev.millrace.pgoutput.Update;
import dev.millrace.publisher.PublisherUnderTest;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.slots.SlotStatistics;
import dev.millrace.sql.SqlSession;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From SQL in several sessions to what a slot's reader gets. */
class DecodedSessionsTest {

  private static final long SMALL_MEMORY = 64 * 1024;

  @TempDir static Path directory;
  private static PublisherUnderTest publisher;

  private final List<SqlSession> sessions = new ArrayList<>();

  @BeforeAll
  static void start() {
    publisher = PublisherUnderTest.start(directory);
  }

  @AfterAll
  static void stop() {
    publisher.close();
  }

  @AfterEach
  void cleanUp() {
    sessions.forEach(SqlSession::close);
    publisher.sql("SELECT pg_drop_replication_slot('s')");
    publisher.sql("DROP PUBLICATION p; DROP TABLE t; DROP TABLE IF EXISTS bag");
  }

  private SqlSession session() {
    SqlSession session = publisher.bean(PublisherNode.class).open();
    sessions.add(session);
    return session;
  }

  private static void run(SqlSession session, String sql) {
    session.execute(sql, List.of());
  }

  private static void prepare() {
    publisher.sql("CREATE TABLE t (id int PRIMARY KEY, v text); CREATE PUBLICATION p FOR TABLE t");
  }

  private static void createSlot(String plugin) {
    publisher.sql("SELECT pg_create_logical_replication_slot('s', '" + plugin + "')");
  }

  private static List<byte[]> read(boolean consume, long workMem) {
    Map<String, String> options = new HashMap<>();
    if (publisher.value("SELECT plugin FROM pg_replication_slots").equals("pgoutput")) {
      options.put("proto_version", "1");
      options.put("publication_names", "p");
    }
    return read(consume, workMem, options);
  }

  /**
   * @param workMem 0 = every change is given up at once
   */
  private static List<byte[]> read(boolean consume, long workMem, Map<String, String> options) {
    PublisherNode node = publisher.bean(PublisherNode.class);
    SlotChanges.Request request =
        new SlotChanges.Request(
            "s",
            node.databaseName(),
            node.nextPid(),
            0,
            0,
            options,
            consume,
            true,
            1_000_000,
            workMem,
            workMem == 0,
            notice -> {
              throw new AssertionError(notice);
            });
    return publisher.bean(SlotChanges.class).read(request).stream()
        .map(SlotChanges.Change::data)
        .toList();
  }

  private static List<String> lines(boolean consume) {
    return read(consume, SMALL_MEMORY).stream()
        .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
        .map(line -> line.replaceFirst("^(BEGIN|COMMIT) \\d+", "$1"))
        .map(line -> line.replaceFirst("^table public.t: ", ""))
        .toList();
  }

  @Test
  @DisplayName("S16: nothing uncommitted, commit order, and what was rolled back never")
  void commitOrder() {
    prepare();
    createSlot("test_decoding");
    SqlSession a = session();
    run(a, "BEGIN; INSERT INTO t VALUES (1, 'a')");
    run(session(), "INSERT INTO t VALUES (2, 'b')");
    assertThat(lines(true)).containsExactly("BEGIN", "INSERT: id[integer]:2 v[text]:'b'", "COMMIT");
    run(a, "INSERT INTO t VALUES (3, 'a'); COMMIT");
    assertThat(lines(false)).hasSize(4).isEqualTo(lines(true));
    SqlSession c = session();
    run(c, "BEGIN; INSERT INTO t VALUES (4, 'c')");
    run(c, "ROLLBACK");
    assertThat(lines(true)).isEmpty();
  }

  @Test
  @DisplayName("D6: a slot made while transactions run decodes them whole once they commit")
  void slotAmongTransactions() {
    prepare();
    SqlSession early = session();
    run(early, "BEGIN; INSERT INTO t VALUES (1, 'before the slot')");
    run(session(), "INSERT INTO t VALUES (2, 'committed before the slot')");
    createSlot("test_decoding");
    run(early, "INSERT INTO t VALUES (3, 'behind the slot')");
    assertThat(lines(true)).isEmpty();
    run(early, "COMMIT");
    assertThat(lines(true))
        .containsExactly(
            "BEGIN",
            "INSERT: id[integer]:1 v[text]:'before the slot'",
            "INSERT: id[integer]:3 v[text]:'behind the slot'",
            "COMMIT");
  }

  @Test
  @DisplayName("S17: savepoint trees, eighty deep, and a statement that failed inside one")
  void savepointTrees() {
    prepare();
    createSlot("test_decoding");
    SqlSession a = session();
    run(a, "BEGIN; SAVEPOINT a; INSERT INTO t VALUES (1, 'x'), (2, 'x'); RELEASE a");
    run(a, "SAVEPOINT b; SAVEPOINT c; INSERT INTO t VALUES (3, 'x'), (4, 'x'); RELEASE c");
    run(a, "INSERT INTO t VALUES (5, 'x'); RELEASE b; INSERT INTO t VALUES (6, 'x'); COMMIT");
    assertThat(ids(lines(true))).containsExactly(1, 2, 3, 4, 5, 6);

    run(a, "BEGIN");
    for (int i = 1; i <= 80; i++) {
      run(a, "SAVEPOINT s" + i);
    }
    run(a, "INSERT INTO t VALUES (11, 'x'), (12, 'x'), (13, 'x')");
    run(a, "RELEASE s1; INSERT INTO t VALUES (14, 'x'); COMMIT");
    assertThat(ids(lines(true))).containsExactly(11, 12, 13, 14);

    run(a, "BEGIN; INSERT INTO t VALUES (21, 'x'); SAVEPOINT a; INSERT INTO t VALUES (22, 'x')");
    try {
      run(a, "INSERT INTO t VALUES (23, 'x'), (21, 'duplicate')");
      throw new AssertionError("the duplicate was accepted");
    } catch (dev.millrace.model.PgException e) {
      assertThat(e.sqlState()).isEqualTo("23505");
    }
    run(a, "ROLLBACK TO a; INSERT INTO t VALUES (24, 'x'); COMMIT");
    assertThat(ids(lines(true))).containsExactly(21, 24);
  }

  private static List<Integer> ids(List<String> lines) {
    return lines.stream()
        .filter(line -> line.startsWith("INSERT"))
        .map(line -> Integer.valueOf(line.replaceFirst(".*?id\\[integer\\]:(-?\\d+).*", "$1")))
        .toList();
  }

  @Test
  @DisplayName("S18: big and small pieces at top and in savepoints spill and come out in order")
  void spillMatrix() throws IOException {
    prepare();
    createSlot("pgoutput");
    SlotStatistics statistics = publisher.bean(ReplicationSlots.class).find("s").statistics();
    SqlSession a = session();
    int next = 0;
    int big = 1500;
    for (int[] pieces : new int[][] {{big, 0}, {0, big}, {big, big}, {1, big}, {big, 1}, {1, 1}}) {
      long spilled = statistics.spillTxns.sum();
      int first = next;
      run(a, "BEGIN");
      next = insert(a, next, pieces[0]);
      run(a, "SAVEPOINT lost");
      insert(a, next + 100_000, big);
      run(a, "ROLLBACK TO lost; SAVEPOINT kept");
      next = insert(a, next, pieces[1]);
      run(a, "RELEASE kept; UPDATE t SET id = -id - 1 WHERE id = " + first + "; COMMIT");
      List<Integer> ids = new ArrayList<>();
      PgOutputReader reader = new PgOutputReader(false);
      for (byte[] message : read(true, SMALL_MEMORY)) {
        if (reader.read(message, 0, message.length) instanceof Insert insert) {
          ids.add(Integer.valueOf(insert.newTuple().text(0)));
        }
      }
      assertThat(ids).hasSize(pieces[0] + pieces[1]).isSorted();
      assertThat(ids).first().isEqualTo(first);
      assertThat(ids).last().isEqualTo(next - 1);
      assertThat(statistics.spillTxns.sum()).isEqualTo(spilled + 1);
    }
    try (Stream<Path> files = Files.walk(directory.resolve("pg_replslot"))) {
      assertThat(files.map(Path::toString)).noneMatch(name -> name.endsWith(".spill"));
    }
  }

  private static int insert(SqlSession session, int from, int count) {
    if (count > 0) {
      run(
          session,
          "INSERT INTO t SELECT g, 'a value of some length for row ' || g FROM generate_series("
              + from
              + ", "
              + (from + count - 1)
              + ") g");
    }
    return from + count;
  }

  @Test
  @DisplayName(
      "S23: messages, transactional and not, from transactions that commit and that do not")
  void messages() {
    prepare();
    createSlot("pgoutput");
    SqlSession a = session();
    run(a, "SELECT pg_logical_emit_message(true, 'm', 'msg1')");
    run(a, "SELECT pg_logical_emit_message(false, 'm', 'msg2')");
    run(a, "BEGIN; SELECT pg_logical_emit_message(true, 'm', 'msg3')");
    run(a, "SELECT pg_logical_emit_message(false, 'm', 'msg4'); ROLLBACK");
    run(a, "BEGIN; SELECT pg_logical_emit_message(true, 'm', 'msg5')");
    run(a, "SELECT pg_logical_emit_message(false, 'm', 'msg6')");
    run(a, "SELECT pg_logical_emit_message(true, 'm', '\\x00ff'::bytea); COMMIT");
    Map<String, String> options =
        Map.of("proto_version", "1", "publication_names", "p", "messages", "true");
    List<String> sent =
        parse(read(false, SMALL_MEMORY, options), false).stream().map(PLAIN).toList();
    assertThat(sent.subList(0, 7))
        .containsExactly(
            sent.get(0),
            "M true m msg1",
            "C",
            "M false m msg2",
            "M false m msg4",
            "M false m msg6",
            sent.get(6));
    assertThat(sent).hasSize(10).element(7).isEqualTo("M true m msg5");
    assertThat(read(true, SMALL_MEMORY)).isEmpty();

    assertThat(publisher.value("SELECT pg_logical_emit_message(NULL, 'm', 'x')")).isNull();
    Object lsn = publisher.value("SELECT pg_logical_emit_message(false, 'm', 'x', true)");
    assertThat(publisher.value("SELECT pg_current_wal_flush_lsn() >= '" + lsn + "'::pg_lsn"))
        .isEqualTo(true);
  }

  @Test
  @DisplayName("C5, G1: origins by SQL: O messages, the origin's commit time, origin = none")
  void origins() {
    prepare();
    createSlot("pgoutput");
    publisher.sql("SELECT pg_replication_origin_create('far')");
    SqlSession a = session();
    run(a, "SELECT pg_replication_origin_session_setup('far')");
    run(a, "BEGIN; SELECT pg_replication_origin_xact_setup('0/AABBCC', '2024-01-02 03:04:05+00')");
    run(a, "INSERT INTO t VALUES (1, 'far'); COMMIT");
    assertThat(publisher.value("SELECT pg_replication_origin_progress('far', true)"))
        .isEqualTo("0/AABBCC");
    assertThat(publisher.sql("SELECT external_id, remote_lsn FROM pg_replication_origin_status"))
        .containsExactly(List.of("far", "0/AABBCC"));
    run(a, "SELECT pg_replication_origin_session_reset()");
    run(a, "INSERT INTO t VALUES (2, 'near')");

    List<PgOutputMessage> sent = parse(read(false, SMALL_MEMORY), false);
    assertThat(sent.stream().map(PLAIN).toList())
        .hasSize(8)
        .contains("O far " + 0xAABBCC, atIndex(1))
        .contains("C", atIndex(4));
    assertThat(PgTime.toInstant(((Begin) sent.get(0)).commitTime()))
        .isEqualTo("2024-01-02T03:04:05Z");
    Map<String, String> none =
        Map.of("proto_version", "1", "publication_names", "p", "origin", "none");
    assertThat(parse(read(false, SMALL_MEMORY, none), false).stream().map(PLAIN).toList())
        .hasSize(4)
        .element(2)
        .asString()
        .contains("near");
    Map<String, String> streamed =
        Map.of("proto_version", "2", "publication_names", "p", "streaming", "on");
    assertThat(parse(read(true, 0, streamed), false).stream().map(PLAIN).toList())
        .contains("O far 0", atIndex(1));

    assertThat(publisher.value("SELECT pg_replication_origin_oid('far')")).isEqualTo(1L);
    assertThat(publisher.value("SELECT pg_replication_origin_oid('nowhere')")).isNull();
    assertThat(publisher.value("SELECT pg_replication_origin_session_is_setup()")).isEqualTo(false);
    publisher.sql("SELECT pg_replication_origin_advance('far', '0/10')");
    assertThat(publisher.value("SELECT pg_replication_origin_progress('far', false)"))
        .isEqualTo("0/10");
    publisher.sql("SELECT pg_replication_origin_drop('far')");
    assertThat(publisher.sql("SELECT * FROM pg_replication_origin")).isEmpty();
  }

  @Test
  @DisplayName("C2: in its own transaction a table is published as soon as it is added")
  void publicationChangeInTransaction() {
    publisher.sql("CREATE TABLE t (id int PRIMARY KEY, v text); CREATE PUBLICATION p");
    createSlot("pgoutput");
    SqlSession a = session();
    run(a, "BEGIN; INSERT INTO t VALUES (1, 'not yet'); ALTER PUBLICATION p ADD TABLE t");
    run(session(), "INSERT INTO t VALUES (2, 'not for others')");
    run(a, "INSERT INTO t VALUES (3, 'own'); SAVEPOINT s; ALTER PUBLICATION p DROP TABLE t");
    run(a, "INSERT INTO t VALUES (4, 'dropped, then rolled back'); ROLLBACK TO s");
    run(a, "INSERT INTO t VALUES (5, 'own again'); COMMIT");
    run(session(), "INSERT INTO t VALUES (6, 'for all')");
    PgOutputReader reader = new PgOutputReader(false);
    List<String> ids = new ArrayList<>();
    for (byte[] message : read(true, SMALL_MEMORY)) {
      if (reader.read(message, 0, message.length) instanceof Insert insert) {
        ids.add(insert.newTuple().text(0));
      }
    }
    assertThat(ids).containsExactly("3", "5", "6");
  }

  @Test
  @DisplayName("Random sessions: replaying the stream gives the tables, whatever the work memory")
  void replayGivesTheTables() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    publisher.sql(
        "CREATE TABLE t (id int PRIMARY KEY, v text); CREATE TABLE bag (a int, b text);"
            + " ALTER TABLE bag REPLICA IDENTITY FULL; CREATE PUBLICATION p FOR TABLE t, bag");
    createSlot("pgoutput");
    List<RandomSession> writers = new ArrayList<>();
    for (int number = 0; number < 3; number++) {
      writers.add(new RandomSession(session(), number, random));
    }
    for (int step = 0; step < 400; step++) {
      writers.get(random.nextInt(writers.size())).step();
    }
    writers.forEach(RandomSession::end);

    List<byte[]> messages = read(false, 64L << 20);
    for (long workMem : new long[] {1, SMALL_MEMORY}) {
      assertThat(hex(read(false, workMem))).as("seed " + seed).isEqualTo(hex(messages));
    }
    List<List<String>> whole = StreamReplay.of(parse(messages, false), PLAIN);
    for (long workMem : new long[] {0, 1, 2000, 8000, SMALL_MEMORY, 64L << 20}) {
      for (String streaming : new String[] {"on", "parallel"}) {
        Map<String, String> options =
            Map.of("proto_version", "4", "publication_names", "p", "streaming", streaming);
        List<byte[]> streamed = read(false, workMem, options);
        assertThat(StreamReplay.of(parse(streamed, streaming.equals("parallel")), PLAIN))
            .as("seed " + seed + " work_mem " + workMem)
            .filteredOn(transaction -> !transaction.isEmpty())
            .isEqualTo(whole);
      }
    }
    Replica replica = new Replica();
    PgOutputReader reader = new PgOutputReader(false);
    messages.forEach(bytes -> replica.apply(reader.read(bytes, 0, bytes.length)));
    for (String table : new String[] {"t", "bag"}) {
      List<String> rows =
          publisher.sql("SELECT * FROM " + table).stream().map(Object::toString).sorted().toList();
      assertThat(replica.rows(table)).as("seed " + seed).isEqualTo(rows);
    }
  }

  private static final Function<PgOutputMessage, String> PLAIN = DecodingScene::showPlain;

  private static List<PgOutputMessage> parse(List<byte[]> messages, boolean parallel) {
    PgOutputReader reader = new PgOutputReader(parallel);
    return messages.stream().map(bytes -> reader.read(bytes, 0, bytes.length)).toList();
  }

  private static String hex(List<byte[]> messages) {
    return messages.stream().map(HexFormat.of()::formatHex).collect(Collectors.joining("\n"));
  }

  /** Writes rows of its own only, so that sessions never wait for each other. */
  private static final class RandomSession {
    private final SqlSession session;
    private final int number;
    private final Random random;
    private boolean open;
    private int savepoints;

    RandomSession(SqlSession session, int number, Random random) {
      this.session = session;
      this.number = number;
      this.random = random;
    }

    void step() {
      if (!open && random.nextInt(3) > 0) {
        run(session, "BEGIN");
        open = true;
      }
      int action = random.nextInt(20);
      if (action < 14) {
        change(action);
      } else if (open && action < 16) {
        run(session, "SAVEPOINT s" + ++savepoints);
      } else if (open && savepoints > 0 && action < 17) {
        run(session, "RELEASE s" + savepoints--);
      } else if (open && savepoints > 0 && action < 18) {
        run(session, "ROLLBACK TO s" + savepoints);
      } else if (open) {
        finish(action < 19 ? "COMMIT" : "ROLLBACK");
      }
    }

    private void change(int action) {
      int id = random.nextInt(30) * 3 + number;
      String text = "'v" + random.nextInt(1000) + "'";
      String key = " WHERE id = " + id;
      String member = " WHERE a = " + number + " AND b = 'b" + random.nextInt(3) + "'";
      String sql =
          switch (action) {
            case 0, 1, 2 ->
                "INSERT INTO t SELECT "
                    + id
                    + ", "
                    + text
                    + " WHERE NOT EXISTS (SELECT 1 FROM t"
                    + key
                    + ")";
            case 3, 4 -> "UPDATE t SET v = " + text + key;
            case 5 -> "UPDATE t SET id = id + 3000" + key + " AND id < 3000";
            case 6 -> "DELETE FROM t" + key;
            case 7 -> "DELETE FROM t WHERE id = " + (id + 3000);
            case 8, 9, 10 ->
                "INSERT INTO bag VALUES (" + number + ", 'b" + random.nextInt(3) + "')";
            case 11 -> "INSERT INTO bag SELECT " + number + ", NULL FROM generate_series(1, 5)";
            case 12 -> "UPDATE bag SET b = 'b" + random.nextInt(3) + "'" + member;
            default -> "DELETE FROM bag" + member;
          };
      try {
        run(session, sql);
      } catch (dev.millrace.model.PgException e) {
        assertThat(e.sqlState()).as(sql + ": " + e.getMessage()).isEqualTo("23505");
        if (open) {
          finish("ROLLBACK");
        }
      }
    }

    private void finish(String sql) {
      run(session, sql);
      open = false;
      savepoints = 0;
    }

    void end() {
      if (open) {
        finish("COMMIT");
      }
    }
  }

  /** Tables as lists of rows, changed as the messages say. */
  private static final class Replica {
    private final Map<Integer, String> names = new HashMap<>();
    private final Map<String, List<String>> tables = new HashMap<>();

    void apply(PgOutputMessage message) {
      if (message instanceof Relation m) {
        names.put(m.relationOid(), m.name());
        tables.putIfAbsent(m.name(), new ArrayList<>());
      } else if (message instanceof Insert m) {
        table(m.relationOid()).add(row(m.newTuple()));
      } else if (message instanceof Update m) {
        remove(m.relationOid(), m.oldTuple() == null ? m.newTuple() : m.oldTuple());
        table(m.relationOid()).add(row(m.newTuple()));
      } else if (message instanceof Delete m) {
        remove(m.relationOid(), m.oldTuple());
      } else if (message instanceof Truncate m) {
        m.relationOids().forEach(oid -> table(oid).clear());
      }
    }

    private List<String> table(int oid) {
      return tables.get(names.get(oid));
    }

    private void remove(int oid, TupleData old) {
      List<String> table = table(oid);
      boolean byKey = names.get(oid).equals("t");
      String found = byKey ? "[" + old.text(0) + "," : row(old);
      for (int i = 0; i < table.size(); i++) {
        if (byKey ? table.get(i).startsWith(found) : table.get(i).equals(found)) {
          table.remove(i);
          return;
        }
      }
      throw new AssertionError("no row " + found + " in " + table);
    }

    private static String row(TupleData tuple) {
      return "[" + tuple.text(0) + ", " + tuple.text(1) + "]";
    }

    List<String> rows(String table) {
      return tables.getOrDefault(table, List.of()).stream().sorted().toList();
    }
  }

  @Test
  @DisplayName("C2: a publication change that a savepoint took back leaves nothing to decode")
  void publicationChangeTakenBack() {
    prepare();
    createSlot("test_decoding");
    SqlSession a = session();
    run(a, "BEGIN; SAVEPOINT s1; ALTER PUBLICATION p DROP TABLE t; ROLLBACK TO s1; COMMIT");
    run(a, "INSERT INTO t VALUES (1, 'a')");
    assertThat(lines(true)).contains("INSERT: id[integer]:1 v[text]:'a'");
  }
}
