package dev.millrace.publisher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.walsender.ReplicationPeer;
import dev.millrace.replication.PrimaryKeepalive;
import dev.millrace.sql.SqlSession;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What a consumer sees of the whole publisher over its WebSocket (T1-T5, C3, C5). */
class ReplicationScenariosTest {

  private static final String BEGIN = "BEGIN READ ONLY ISOLATION LEVEL REPEATABLE READ";

  @TempDir static Path dataDirectory;
  private static PublisherUnderTest publisher;

  @BeforeAll
  static void start() {
    publisher = PublisherUnderTest.start(dataDirectory, "wal_segment_size=1MB");
    publisher.sql("create table t (id int primary key, v text)");
    publisher.sql("create table quiet (id int primary key)");
    publisher.sql("create publication pub for table t");
  }

  @AfterAll
  static void stop() {
    publisher.close();
  }

  @AfterEach
  void clean() {
    publisher.dropSlots();
    publisher.sql("delete from t");
  }

  private static ReplicationPeer connect() {
    return ReplicationPeer.connect(publisher.port(), "dbname=testdb&application_name=mysub");
  }

  private static void createSlot(ReplicationPeer peer, String name) throws InterruptedException {
    assertThat(
            peer.errorOf(
                "CREATE_REPLICATION_SLOT \"" + name + "\" LOGICAL pgoutput (SNAPSHOT 'nothing')"))
        .isNull();
  }

  private static void stream(ReplicationPeer peer, String slot) throws InterruptedException {
    JsonNode answer =
        peer.run(
            "START_REPLICATION SLOT \""
                + slot
                + "\" LOGICAL 0/0 (proto_version '1', publication_names 'pub')");
    assertThat(answer.has("mode")).as(answer.toString()).isTrue();
  }

  private static void refused(ThrowingCallable call, String sqlState) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.sqlState()).isEqualTo(sqlState));
  }

  private static long confirmed(String slot) {
    return publisher.bean(ReplicationSlots.class).find(slot).confirmedFlushLsn();
  }

  private static List<Object> changes(String function, String slot) {
    return publisher
        .sql("select data from " + function + "('" + slot + "', null, null, 'include-xids', '0')")
        .stream()
        .map(row -> row.get(0))
        .toList();
  }

  @Test
  @DisplayName("T1: committed rows arrive as B, R, I, C; the confirmation moves the slot")
  void stream() throws Exception {
    try (ReplicationPeer peer = connect()) {
      createSlot(peer, "s");
      stream(peer, "s");
      publisher.sql("insert into t values (1, 'one')");
      assertThat(peer.letters(4)).isEqualTo("BRIC");
      publisher.sql("begin; insert into t values (2, 'two'); update t set v = 'x'; commit");
      assertThat(peer.letters(5)).isEqualTo("BIUUC");
      long end = Lsn.parse((String) publisher.value("select pg_current_wal_flush_lsn()")).value();
      Awaitility.await()
          .until(
              () -> {
                peer.report(end, end, false);
                return confirmed("s") >= end;
              });
    }
  }

  private static final String STREAMING =
      "START_REPLICATION SLOT s LOGICAL 0/0 (proto_version '4', publication_names 'pub',"
          + " streaming '%s')";

  private static ReplicationPeer connectImmediate() {
    return ReplicationPeer.connect(
        publisher.port(),
        "dbname=testdb&options=-c%20debug_logical_replication_streaming=immediate");
  }

  @Test
  @DisplayName("D5: blocks arrive while the transaction is open, anew after a reconnect, then c")
  void streamOpenTransaction() throws Exception {
    try (SqlSession writer = publisher.bean(PublisherNode.class).open()) {
      try (ReplicationPeer peer = connectImmediate()) {
        createSlot(peer, "s");
        assertThat(peer.run(STREAMING.formatted("on")).has("mode")).isTrue();
        writer.execute("begin; insert into t values (1, 'one')", List.of());
        assertThat(peer.letters(4)).isEqualTo("SRIE");
        writer.execute("savepoint a; insert into t values (2, 'two'); rollback to a", List.of());
        publisher.sql("insert into t values (3, 'of another')");
        assertThat(peer.letters(9)).isEqualTo("SIEASRIEc");
        long end = Lsn.parse((String) publisher.value("select pg_current_wal_flush_lsn()")).value();
        Awaitility.await()
            .until(
                () -> {
                  peer.report(end, end, false);
                  return confirmed("s") >= end;
                });
        assertThat(publisher.bean(ReplicationSlots.class).find("s").restartLsn())
            .as("holds the open transaction's first record")
            .isLessThan(end);
      }
      ReplicationSlots slots = publisher.bean(ReplicationSlots.class);
      Awaitility.await().until(() -> slots.find("s").activePid() == 0);
      try (ReplicationPeer peer = connectImmediate()) {
        assertThat(peer.run(STREAMING.formatted("parallel")).has("mode")).isTrue();
        writer.execute("insert into t values (4, 'four')", List.of());
        writer.execute("commit", List.of());
        byte[] first = peer.nextData().message();
        assertThat((char) first[0]).isEqualTo('S');
        assertThat(first[first.length - 1]).as("first_segment").isEqualTo((byte) 1);
        assertThat(peer.letters(5)).isEqualTo("RIIEc");
      }
    }
  }

  @Test
  @DisplayName("T3: writes nobody subscribes to send nothing but move the slot through keepalives")
  void quietStream() throws Exception {
    try (ReplicationPeer peer = connect()) {
      createSlot(peer, "s");
      stream(peer, "s");
      publisher.sql("insert into quiet values (1), (2)");
      publisher.sql("delete from quiet");
      long end = Lsn.parse((String) publisher.value("select pg_current_wal_flush_lsn()")).value();
      long told = 0;
      while (told < end) {
        ReplicationPeer.Copied next = peer.nextCopied();
        assertThat(next.isKeepalive()).isTrue();
        told = ((PrimaryKeepalive) next.frame()).endLsn();
        assertThat(told)
            .isLessThanOrEqualTo(
                Lsn.parse((String) publisher.value("select pg_current_wal_flush_lsn()")).value());
      }
      peer.report(told, told, false);
      Awaitility.await().until(() -> confirmed("s") >= end);
    }
  }

  @Test
  @DisplayName("T4: snapshot and stream of a slot made under write load hold each row once")
  void snapshotUnderLoad() throws Exception {
    AtomicBoolean writing = new AtomicBoolean(true);
    List<Thread> writers = new ArrayList<>();
    for (int w = 0; w < 3; w++) {
      int first = w * 1_000_000;
      Thread writer =
          new Thread(
              () -> {
                try (SqlSession session = publisher.bean(PublisherNode.class).open()) {
                  for (int i = first; writing.get(); i += 3) {
                    session.execute(
                        "begin; insert into t values (%d, 'a'), (%d, 'b'); insert into t values (%d, 'c'); commit"
                            .formatted(i, i + 1, i + 2),
                        List.of());
                  }
                }
              });
      writer.start();
      writers.add(writer);
    }
    Set<Integer> seen = new HashSet<>();
    try (ReplicationPeer peer = connect()) {
      Awaitility.await().until(() -> (Long) publisher.value("select count(*) from t") > 30);
      assertThat(peer.run(BEGIN).get("command").asString()).isEqualTo("BEGIN");
      assertThat(peer.errorOf("CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'use')"))
          .isNull();
      JsonNode copying = peer.run("COPY public.t (id, v) TO STDOUT");
      assertThat(copying.get("mode").asString()).isEqualTo("out");
      for (ReplicationPeer.Copied row = peer.nextCopied(); !row.done(); row = peer.nextCopied()) {
        String line = new String(row.payload(), StandardCharsets.UTF_8);
        assertThat(seen.add(Integer.parseInt(line.substring(0, line.indexOf('\t'))))).isTrue();
      }
      assertThat(peer.answer().get("command").asString()).isEqualTo("COPY " + seen.size());
      assertThat(seen).hasSizeGreaterThan(30);
      assertThat(seen.size() % 3).isZero();
      assertThat(peer.run("COMMIT").get("command").asString()).isEqualTo("COMMIT");
      int copied = seen.size();
      stream(peer, "s");
      Awaitility.await()
          .until(() -> (Long) publisher.value("select count(*) from t") > copied + 60);
      writing.set(false);
      for (Thread writer : writers) {
        writer.join();
      }
      long total = (Long) publisher.value("select count(*) from t");
      while (seen.size() < total) {
        byte[] message = peer.nextData().message();
        if (message[0] == 'I') {
          assertThat(seen.add(id(message))).isTrue();
        }
      }
    } finally {
      writing.set(false);
    }
  }

  /** Of an INSERT: type 1, relation 4, 'N' 1, columns 2, 't' 1, length 4, text. */
  private static int id(byte[] insert) {
    int length = insert[12];
    return Integer.parseInt(new String(insert, 13, length, StandardCharsets.UTF_8));
  }

  @Test
  @DisplayName(
      "S24: a slot does not wait for an open transaction, and decodes it whole when it commits")
  void openTransaction() throws Exception {
    try (SqlSession open = publisher.bean(PublisherNode.class).open();
        ReplicationPeer peer = connect()) {
      open.execute("begin; insert into t values (1, 'before')", List.of());
      peer.run(BEGIN);
      assertThat(peer.errorOf("CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'use')"))
          .isNull();
      assertThat(peer.run("SELECT count(*) FROM public.t").get("rows").toString())
          .isEqualTo("[[0]]");
      publisher.bean(PublisherNode.class).checkpoint();
      open.execute("insert into t values (2, 'after'); commit", List.of());
      assertThat(peer.run("SELECT count(*) FROM public.t").get("rows").toString())
          .isEqualTo("[[0]]");
      peer.run("COMMIT");
      stream(peer, "s");
      assertThat(peer.letters(5)).isEqualTo("BRIIC");
      publisher.sql("insert into t values (3, 'x')");
      assertThat(peer.letters(3)).isEqualTo("BIC");
    }
  }

  @Test
  @DisplayName("T5: pg_stat_replication and pg_replication_slots show the stream")
  void statistics() throws Exception {
    try (ReplicationPeer peer = connect()) {
      createSlot(peer, "s");
      stream(peer, "s");
      publisher.sql("insert into t values (1, 'one')");
      peer.letters(4);
      long end = Lsn.parse((String) publisher.value("select pg_current_wal_flush_lsn()")).value();
      peer.report(end, end, false); // Once: a second report of the end takes the lag away again.
      Awaitility.await()
          .until(
              () ->
                  publisher
                      .sql(
                          "select application_name, state, flush_lsn = replay_lsn, sync_state,"
                              + " write_lag is null from pg_stat_replication where reply_time is"
                              + " not null")
                      .equals(List.of(List.of("mysub", "streaming", true, "async", false))));
      assertThat(
              publisher.value(
                  "select count(*) from pg_replication_slots s join pg_stat_replication r on"
                      + " s.active_pid = r.pid where s.active and s.inactive_since is null"))
          .isEqualTo(1L);
      assertThat(publisher.value("select total_txns from pg_stat_replication_slots")).isEqualTo(1L);
    }
  }

  @Test
  @DisplayName("S39: slots have their own history; peek repeats, get consumes, advance skips")
  void slotLife() {
    publisher.sql("select * from pg_create_logical_replication_slot('s1', 'test_decoding')");
    publisher.sql("insert into t values (1, 'a')");
    publisher.sql("select * from pg_create_logical_replication_slot('s2', 'test_decoding')");
    publisher.sql("insert into t values (2, 'b')");
    String first = "table public.t: INSERT: id[integer]:1 v[text]:'a'";
    String second = "table public.t: INSERT: id[integer]:2 v[text]:'b'";
    assertThat(changes("pg_logical_slot_peek_changes", "s1"))
        .containsExactly("BEGIN", first, "COMMIT", "BEGIN", second, "COMMIT")
        .isEqualTo(changes("pg_logical_slot_peek_changes", "s1"));
    assertThat(changes("pg_logical_slot_get_changes", "s1")).hasSize(6);
    assertThat(changes("pg_logical_slot_get_changes", "s1")).isEmpty();
    assertThat(changes("pg_logical_slot_peek_changes", "s2"))
        .containsExactly("BEGIN", second, "COMMIT");
    publisher.sql("select * from pg_replication_slot_advance('s2', pg_current_wal_lsn())");
    publisher.sql("insert into t values (3, 'c')");
    assertThat(changes("pg_logical_slot_get_changes", "s2"))
        .contains("table public.t: INSERT: id[integer]:3 v[text]:'c'")
        .doesNotContain(second);
    refused(
        () -> publisher.sql("select * from pg_replication_slot_advance('s2', '0/1000000')"),
        "55000");
    refused(
        () -> publisher.sql("select * from pg_create_logical_replication_slot('s1', 'pgoutput')"),
        "42710");
    refused(
        () -> publisher.sql("select * from pg_create_logical_replication_slot('Bad', 'pgoutput')"),
        "42602");
    refused(
        () -> publisher.sql("select * from pg_create_logical_replication_slot('x', 'nonsense')"),
        "58P01");
    refused(() -> publisher.sql("select pg_drop_replication_slot('absent')"), "42704");
    refused(
        () ->
            publisher.sql(
                "select * from pg_create_logical_replication_slot('p', 'pgoutput');"
                    + " select * from pg_logical_slot_get_changes('p', null, null)"),
        "22023");
    publisher.sql("select pg_drop_replication_slot('s1')");
    assertThat(publisher.value("select count(*) from pg_replication_slots where slot_name = 's1'"))
        .isEqualTo(0L);
  }

  @Test
  @DisplayName("C5: binary output is refused by the text functions and given by the binary ones")
  void binaryChanges() {
    publisher.sql("select * from pg_create_logical_replication_slot('s', 'pgoutput')");
    publisher.sql("insert into t values (1, 'a')");
    String options = "'s', null, null, 'proto_version', '1', 'publication_names', 'pub'";
    refused(
        () -> publisher.sql("select * from pg_logical_slot_peek_changes(" + options + ")"),
        "0A000");
    assertThat(
            publisher.sql("select data from pg_logical_slot_get_binary_changes(" + options + ")"))
        .extracting(row -> ((String) row.get(0)).substring(0, 4))
        .containsExactly("\\x42", "\\x52", "\\x49", "\\x43");
  }

  @Test
  @DisplayName("an option given twice to a decoding function is refused")
  void repeatedOption() {
    publisher.sql("select * from pg_create_logical_replication_slot('s', 'pgoutput')");
    refused(
        () ->
            publisher.sql(
                "select * from pg_logical_slot_peek_binary_changes('s', null, null,"
                    + " 'proto_version', '1', 'proto_version', '2', 'publication_names', 'pub')"),
        "42601");
  }

  @Test
  @DisplayName("S39: a temporary slot ends with the SQL session that made it")
  void temporarySlot() {
    try (SqlSession session = publisher.bean(PublisherNode.class).open()) {
      session.execute(
          "select * from pg_create_logical_replication_slot('tmp', 'test_decoding', true)",
          List.of());
      assertThat(publisher.value("select temporary from pg_replication_slots")).isEqualTo(true);
      refused(
          () -> publisher.sql("select * from pg_logical_slot_get_changes('tmp', null, null)"),
          "55006");
    }
    assertThat(publisher.value("select count(*) from pg_replication_slots")).isEqualTo(0L);
  }

  @Test
  @DisplayName("C5: a transaction that has written cannot create a slot")
  void slotAfterWrite() {
    refused(
        () ->
            publisher.sql(
                "begin; insert into t values (1, 'a');"
                    + " select * from pg_create_logical_replication_slot('s', 'pgoutput')"),
        "25001");
    assertThat(publisher.value("select count(*) from pg_replication_slots")).isEqualTo(0L);
  }

  @Test
  @DisplayName("T4: a walsender's own transaction that has written cannot create a slot either")
  void walsenderSlotAfterWrite() throws Exception {
    try (ReplicationPeer peer = connect()) {
      assertThat(peer.errorOf("BEGIN")).isNull();
      assertThat(peer.errorOf("INSERT INTO public.t VALUES (1, 'a')")).isNull();
      assertThat(peer.errorOf("CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'use')"))
          .isEqualTo("25001");
      assertThat(peer.errorOf("CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'nothing')"))
          .isEqualTo("25001");
      assertThat(peer.errorOf("ROLLBACK")).isNull();
    }
    assertThat(publisher.value("select count(*) from pg_replication_slots")).isEqualTo(0L);
  }

  @Test
  @DisplayName("C5: functions of later parts are refused by name")
  void laterFunctions() {
    refused(() -> publisher.sql("select pg_create_physical_replication_slot('p')"), "0A000");
    refused(() -> publisher.sql("select pg_promote()"), "0A000");
  }

  @Test
  @DisplayName("C3: a slot holds back log from its restart_lsn on, and lets it go once confirmed")
  void retention() throws Exception {
    publisher.sql("select * from pg_create_logical_replication_slot('s', 'test_decoding')");
    String before =
        (String) publisher.value("select pg_walfile_name(restart_lsn) from pg_replication_slots");
    for (int i = 0; i < 4; i++) {
      publisher.sql(
          "insert into quiet select * from system_range(%d, %d)"
              .formatted(i * 20000, i * 20000 + 19999));
    }
    publisher.bean(PublisherNode.class).checkpoint();
    assertThat(segments()).contains(before);
    publisher.sql("select * from pg_replication_slot_advance('s', pg_current_wal_lsn())");
    publisher.bean(PublisherNode.class).checkpoint();
    assertThat(segments()).doesNotContain(before);
    publisher.sql("delete from quiet");
  }

  private static List<String> segments() {
    return publisher.bean(dev.millrace.publisher.wal.WriteAheadLog.class).segments();
  }

  @Test
  @DisplayName("R2: unknown and later options, wrong LSNs and odd versions are refused one by one")
  void options() throws Exception {
    try (ReplicationPeer peer = connect()) {
      createSlot(peer, "s");
      String start = "START_REPLICATION SLOT s LOGICAL 0/0 ";
      assertThat(peer.errorOf(start + "(proto_version '0', publication_names 'pub')"))
          .isEqualTo("0A000");
      assertThat(peer.errorOf(start + "(proto_version '99', publication_names 'pub')"))
          .isEqualTo("0A000");
      assertThat(peer.errorOf(start + "(proto_version '', publication_names 'pub')"))
          .isEqualTo("22023");
      assertThat(peer.errorOf(start + "(publication_names 'pub')")).isEqualTo("22023");
      assertThat(peer.errorOf(start + "(proto_version '1')")).isEqualTo("22023");
      assertThat(peer.errorOf(start + "(proto_version '1', nonsense 'x')")).isNotNull();
      String one = start + "(proto_version '%s', publication_names 'pub', streaming '%s')";
      assertThat(peer.errorOf(String.format(one, "1", "on"))).isEqualTo("22023");
      assertThat(peer.errorOf(String.format(one, "3", "parallel"))).isEqualTo("22023");
      assertThat(
              peer.errorOf(
                  start + "(proto_version '4', publication_names 'pub', origin 'elsewhere')"))
          .isEqualTo("22023");
      assertThat(
              peer.errorOf(
                  "START_REPLICATION SLOT s LOGICAL FFFFFFFF/0 (proto_version '1',"
                      + " publication_names 'pub')"))
          .isEqualTo("55000");
      assertThat(peer.run("IDENTIFY_SYSTEM").has("rows")).isTrue();
    }
  }

  @Test
  @DisplayName("a start LSN below confirmed_flush_lsn is moved up: nothing confirmed comes again")
  void startBelowConfirmed() throws Exception {
    try (ReplicationPeer peer = connect()) {
      createSlot(peer, "s");
      publisher.sql("insert into t values (1, 'one')");
      publisher.sql("select * from pg_replication_slot_advance('s', pg_current_wal_lsn())");
      publisher.sql("insert into t values (2, 'two')");
      peer.run(
          "START_REPLICATION SLOT s LOGICAL 0/1000000 (proto_version '1', publication_names"
              + " 'pub')");
      peer.nextData();
      peer.nextData();
      assertThat(id(peer.nextData().message())).isEqualTo(2);
    }
  }

  @Test
  @DisplayName("S13: a publication that does not exist is warned of, and the stream goes on")
  void missingPublication() throws Exception {
    try (ReplicationPeer peer = connect()) {
      createSlot(peer, "s");
      peer.sendText(
          "START_REPLICATION SLOT s LOGICAL 0/0 (proto_version '1', publication_names"
              + " 'pub,absent')");
      publisher.sql("insert into t values (1, 'one')");
      assertThat(peer.letters(4)).isEqualTo("BRIC");
      assertThat(peer.answers).anyMatch(answer -> answer.has("notice"));
    }
  }

  @Test
  @DisplayName("a walsender session runs SQL of its own and the subscriber's queries")
  void sql() throws Exception {
    try (ReplicationPeer peer = connect()) {
      assertThat(
              peer.run("SELECT pubname FROM pg_publication WHERE pubname IN ('pub','x')")
                  .get("rows")
                  .toString())
          .isEqualTo("[[\"pub\"]]");
      assertThat(
              peer.run(
                      "SELECT pubname, schemaname, tablename, attnames, rowfilter FROM"
                          + " pg_publication_tables WHERE pubname IN ('pub')")
                  .get("rows")
                  .size())
          .isEqualTo(1);
      peer.run(BEGIN);
      assertThat(peer.run("SELECT count(*) FROM public.t").get("rows").toString())
          .isEqualTo("[[0]]");
      publisher.sql("insert into t values (1, 'one')");
      assertThat(peer.run("SELECT count(*) FROM public.t").get("rows").toString())
          .isEqualTo("[[0]]");
      assertThat(peer.errorOf("INSERT INTO public.t VALUES (2, 'x')")).isEqualTo("25006");
      assertThat(peer.errorOf("SELECT 1")).isEqualTo("25P02");
      assertThat(peer.run("COMMIT").get("command").asString()).isEqualTo("ROLLBACK");
      assertThat(peer.errorOf("SELECT * FROM nonsense")).isEqualTo("42P01");
    }
  }

  @Test
  @DisplayName("T4: SET TRANSACTION SNAPSHOT shows what an exporting slot's consistent point is")
  void exportedSnapshot() throws Exception {
    publisher.sql("insert into t values (1, 'before')");
    PublisherNode node = publisher.bean(PublisherNode.class);
    try (ReplicationPeer peer = connect();
        SqlSession reader = node.open();
        SqlSession late = node.open()) {
      JsonNode made = peer.run("CREATE_REPLICATION_SLOT ex LOGICAL pgoutput");
      String name = made.get("rows").get(0).get(2).asString();
      publisher.sql("insert into t values (2, 'after')");
      reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ", List.of());
      reader.execute("SET TRANSACTION SNAPSHOT '" + name + "'", List.of());
      assertThat(rows(reader, "select id from t")).containsExactly(List.of(1));
      refused(
          () ->
              late.execute(
                  "BEGIN ISOLATION LEVEL REPEATABLE READ; SET TRANSACTION SNAPSHOT '" + name + "'",
                  List.of()),
          "0A000");
      assertThat(peer.errorOf("IDENTIFY_SYSTEM")).isNull();
      assertThat(rows(reader, "select count(*) from t")).containsExactly(List.of(1L));
      late.execute("ROLLBACK", List.of());
      refused(
          () ->
              late.execute(
                  "BEGIN ISOLATION LEVEL REPEATABLE READ; SET TRANSACTION SNAPSHOT '" + name + "'",
                  List.of()),
          "42704");
      refused(() -> reader.execute("insert into t values (3, 'x')", List.of()), "0A000");
      reader.execute("ROLLBACK", List.of());
      assertThat(rows(reader, "select count(*) from t")).containsExactly(List.of(2L));
      refused(
          () -> reader.execute("BEGIN; SET TRANSACTION SNAPSHOT '" + name + "'", List.of()),
          "0A000");
    }
  }

  private static List<List<Object>> rows(SqlSession session, String query) {
    return session.execute(query, List.of()).results().get(0).rows();
  }

  @Test
  @DisplayName("N11: setval sets a sequence also across rollback, txid_current gives the xid")
  void sequencesAndXids() {
    publisher.sql("create sequence sv");
    assertThat(publisher.value("select setval('sv', 42)")).isEqualTo(42L);
    assertThat(publisher.value("select nextval('sv')")).isEqualTo(43L);
    publisher.value("select setval('public.sv', 7, false)");
    assertThat(publisher.value("select nextval('sv')")).isEqualTo(7L);
    refused(() -> publisher.sql("select setval('sv', 0)"), "22003");
    refused(() -> publisher.sql("select setval('absent', 1)"), "42P01");
    try (SqlSession session = publisher.bean(PublisherNode.class).open()) {
      session.execute("BEGIN", List.of());
      Object xid = rows(session, "select txid_current()").get(0).get(0);
      assertThat(rows(session, "select pg_current_xact_id()").get(0).get(0)).isEqualTo(xid);
      session.execute("select setval('sv', 100)", List.of());
      session.execute("ROLLBACK", List.of());
      assertThat(rows(session, "select nextval('sv')").get(0).get(0)).isEqualTo(101L);
      assertThat(rows(session, "select txid_current()").get(0).get(0)).isNotEqualTo(xid);
    }
    publisher.sql("drop sequence sv");
  }
}
