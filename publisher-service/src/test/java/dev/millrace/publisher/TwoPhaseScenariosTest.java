package dev.millrace.publisher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.PgTime;
import dev.millrace.pgoutput.BeginPrepare;
import dev.millrace.pgoutput.CommitPrepared;
import dev.millrace.pgoutput.PgOutputMessage;
import dev.millrace.pgoutput.PgOutputReader;
import dev.millrace.pgoutput.Prepare;
import dev.millrace.pgoutput.RollbackPrepared;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.walsender.ReplicationPeer;
import dev.millrace.replication.XLogData;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Two-phase commit as clients and consumers of the whole publisher see it (Z1). */
class TwoPhaseScenariosTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir static Path dataDirectory;
  private static PublisherUnderTest publisher;
  private final PgOutputReader reader = new PgOutputReader(true);

  @BeforeAll
  static void start() {
    publisher =
        PublisherUnderTest.start(
            dataDirectory, "max_prepared_transactions=10", "logical_decoding_work_mem=64kB");
    publisher.sql("create table t (id int primary key, v text)");
    publisher.sql("create table hidden (id int primary key)");
    publisher.sql("create publication pub for table t");
  }

  @AfterAll
  static void stop() {
    publisher.close();
  }

  @BeforeEach
  void fill() {
    publisher.sql("insert into t values (1, 'old')");
  }

  @AfterEach
  void clean() {
    publisher.dropSlots();
    for (List<Object> row : publisher.sql("select gid from pg_prepared_xacts")) {
      publisher.sql("rollback prepared '" + row.get(0) + "'");
    }
    publisher.sql("delete from t; delete from hidden");
  }

  private static ReplicationPeer connect() {
    return ReplicationPeer.connect(publisher.port(), "dbname=testdb&application_name=mysub");
  }

  private static void run(ReplicationPeer peer, String command) throws InterruptedException {
    assertThat(peer.errorOf(command)).as(command).isNull();
  }

  private static void createSlot(ReplicationPeer peer, String options) throws Exception {
    run(peer, "CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'nothing'" + options + ")");
  }

  private static void stream(ReplicationPeer peer, String options) throws InterruptedException {
    JsonNode answer =
        peer.run(
            "START_REPLICATION SLOT s LOGICAL 0/0 (proto_version '4', publication_names 'pub'"
                + options
                + ")");
    assertThat(answer.has("mode")).as(answer.toString()).isTrue();
  }

  private PgOutputMessage read(ReplicationPeer.Copied copied) {
    byte[] message = copied.message();
    return reader.read(message, 0, message.length);
  }

  private static long lsn(ReplicationPeer.Copied copied) {
    return ((XLogData) copied.frame()).startLsn();
  }

  @Test
  @DisplayName("S27: prepare, finish both ways, nothing in between")
  void prepareAndFinish() throws Exception {
    try (ReplicationPeer peer = connect()) {
      createSlot(peer, ", TWO_PHASE");
      stream(peer, ", two_phase 'on'");
      publisher.sql("begin; insert into t values (11, 'a'); prepare transaction 'g'");
      assertThat(peer.letters(4)).isEqualTo("bRIP");
      assertThat(publisher.sql("select id from t")).hasSize(1);
      publisher.sql("commit prepared 'g'");
      assertThat(peer.letters(1)).isEqualTo("K");
      publisher.sql("begin; insert into t values (12, 'b'); prepare transaction ''");
      publisher.sql("rollback prepared ''");
      assertThat(peer.letters(4)).isEqualTo("bIPr");
      publisher.sql(
          "begin; insert into t values (21, 'c'); savepoint sp; insert into t values (22, 'd');"
              + " rollback to sp; prepare transaction 'g'");
      publisher.sql("commit prepared 'g'");
      assertThat(peer.letters(4)).isEqualTo("bIPK");
      for (String end : List.of("commit", "rollback")) {
        publisher.sql("begin; select * from t for update; prepare transaction 'lock'");
        publisher.sql(end + " prepared 'lock'");
      }
      publisher.sql("begin; insert into hidden values (1); prepare transaction 'hidden'");
      publisher.sql("commit prepared 'hidden'");
      assertThat(peer.letters(3)).isEqualTo("bPK");
      publisher.sql("insert into t values (31, 'e')");
      assertThat(peer.letters(3)).isEqualTo("BIC");
      assertThat(publisher.sql("select id from t order by id"))
          .extracting(row -> row.get(0))
          .containsExactly(1, 11, 21, 31);
    }
  }

  @Test
  @DisplayName("b, P, K and r carry the positions and times of the log; XLogData those of T1")
  void fields() throws Exception {
    try (ReplicationPeer peer = connect()) {
      createSlot(peer, ", TWO_PHASE");
      stream(peer, "");
      publisher.sql("begin; insert into t values (11, 'a'); prepare transaction 'it''s é'");
      List<Object> row =
          publisher
              .sql("select transaction, gid, prepared, owner, database from pg_prepared_xacts")
              .get(0);
      ReplicationPeer.Copied first = peer.nextData();
      BeginPrepare begin = (BeginPrepare) read(first);
      assertThat(peer.letters(2)).isEqualTo("RI");
      ReplicationPeer.Copied last = peer.nextData();
      Prepare prepare = (Prepare) read(last);
      assertThat(prepare.gid()).isEqualTo("it's é").isEqualTo(row.get(1)).isEqualTo(begin.gid());
      assertThat(row.get(0).toString()).isEqualTo(Integer.toString(prepare.xid()));
      assertThat(OffsetDateTime.parse(row.get(2).toString().replace(' ', 'T')).toInstant())
          .isEqualTo(PgTime.toInstant(prepare.prepareTime()));
      assertThat(row.subList(3, 5)).containsExactly("millrace", "testdb");
      assertThat(lsn(last)).isEqualTo(prepare.endLsn()).isGreaterThan(prepare.prepareLsn());
      assertThat(lsn(first)).isLessThan(prepare.prepareLsn());
      assertThat(begin)
          .isEqualTo(
              new BeginPrepare(
                  prepare.prepareLsn(),
                  prepare.endLsn(),
                  prepare.prepareTime(),
                  prepare.xid(),
                  prepare.gid()));
      publisher.sql("commit prepared 'it''s é'");
      ReplicationPeer.Copied end = peer.nextData();
      CommitPrepared commit = (CommitPrepared) read(end);
      assertThat(commit.xid()).isEqualTo(prepare.xid());
      assertThat(commit.commitLsn()).isGreaterThanOrEqualTo(prepare.endLsn());
      assertThat(lsn(end)).isEqualTo(commit.endLsn());
      assertThat(commit.commitTime()).isGreaterThanOrEqualTo(prepare.prepareTime());

      publisher.sql("begin; delete from t where id = 1; prepare transaction 'r'");
      assertThat(peer.letters(2)).isEqualTo("bD");
      Prepare second = (Prepare) read(peer.nextData());
      publisher.sql("rollback prepared 'r'");
      RollbackPrepared rollback = (RollbackPrepared) read(peer.nextData());
      assertThat(rollback.prepareEndLsn()).isEqualTo(second.endLsn());
      assertThat(rollback.prepareTime()).isEqualTo(second.prepareTime());
      assertThat(rollback.rollbackEndLsn()).isGreaterThan(second.endLsn());
    }
  }

  @Test
  @DisplayName(
      "S28: a consumer that had the PREPARE gets its end alone, one that had not gets it whole")
  void reconnect() throws Exception {
    long prepared;
    try (ReplicationPeer peer = connect()) {
      createSlot(peer, ", TWO_PHASE");
      stream(peer, "");
      publisher.sql("begin; insert into t values (11, 'a'); prepare transaction 'g'");
      assertThat(peer.letters(3)).isEqualTo("bRI");
      prepared = ((Prepare) read(peer.nextData())).endLsn();
    }
    publisher.awaitSlotsInactive();
    try (ReplicationPeer peer = connect()) {
      stream(peer, "");
      assertThat(peer.letters(4)).isEqualTo("bRIP");
      peer.report(prepared, prepared, false);
      ReplicationSlots slots = publisher.bean(ReplicationSlots.class);
      Awaitility.await().until(() -> slots.find("s").confirmedFlushLsn() == prepared);
    }
    publisher.sql("commit prepared 'g'");
    publisher.awaitSlotsInactive();
    try (ReplicationPeer peer = connect()) {
      stream(peer, "");
      assertThat(peer.letters(1)).isEqualTo("K");
    }
  }

  @Test
  @DisplayName("S29: streamed, prepared by p and ended by K or r, another transaction in between")
  void streamed() throws Exception {
    try (ReplicationPeer peer = connect()) {
      createSlot(peer, ", TWO_PHASE");
      stream(peer, ", streaming 'on', two_phase 'on'");
      for (String end : List.of("commit", "rollback")) {
        publisher.sql(
            "begin; insert into t select x, repeat('y', 100) from generate_series(100, 1500) as"
                + " g(x); savepoint a; update t set v = 'z' where id > 1490; rollback to a;"
                + " prepare transaction 'g'");
        String blocks = lettersUpTo(peer, 'p');
        assertThat(blocks).startsWith("SR").endsWith("Ep").doesNotContain("b", "P", "c");
        publisher.sql("insert into t values (100001, 'between')");
        assertThat(peer.letters(3).replace("R", "")).startsWith("BI");
        publisher.sql(end + " prepared 'g'");
        assertThat(lettersUpTo(peer, end.equals("commit") ? 'K' : 'r')).doesNotContain("S");
        assertThat(publisher.value("select count(*) from t where id between 100 and 1500"))
            .asString()
            .isEqualTo(end.equals("commit") ? "1401" : "0");
        publisher.sql("delete from t where id >= 100");
        lettersUpTo(peer, 'C', 'c');
      }
    }
  }

  private static String lettersUpTo(ReplicationPeer peer, char... ends)
      throws InterruptedException {
    StringBuilder letters = new StringBuilder();
    while (true) {
      char letter = (char) peer.nextData().message()[0];
      letters.append(letter);
      for (char end : ends) {
        if (letter == end) {
          return letters.toString();
        }
      }
    }
  }

  @Test
  @DisplayName("S30: prepared before the slot: whole with its K, or only r; off again: ordinary")
  void preparedTooEarly() throws Exception {
    publisher.sql("begin; insert into t values (11, 'a'); prepare transaction 'early'");
    publisher.sql("begin; insert into t values (12, 'b'); prepare transaction 'gone'");
    try (ReplicationPeer peer = connect()) {
      createSlot(peer, ", TWO_PHASE");
      stream(peer, "");
      publisher.sql("insert into t values (13, 'c')");
      assertThat(peer.letters(4)).isEqualTo("BRIC");
      publisher.sql("commit prepared 'early'");
      assertThat(peer.letters(4)).isEqualTo("bIPK");
      publisher.sql("rollback prepared 'gone'");
      assertThat(peer.letters(1)).isEqualTo("r");
    }
    publisher.awaitSlotsInactive();
    try (ReplicationPeer peer = connect()) {
      run(peer, "ALTER_REPLICATION_SLOT s (TWO_PHASE false)");
      stream(peer, "");
      publisher.sql("begin; insert into t values (14, 'd'); prepare transaction 'plain'");
      publisher.sql("commit prepared 'plain'");
      assertThat(lettersUpTo(peer, 'C')).doesNotContain("b", "P", "K");
    }
  }

  @Test
  @DisplayName("S30: two_phase switched on: what was prepared before comes whole with its K")
  void switchedOn() throws Exception {
    try (ReplicationPeer peer = connect()) {
      createSlot(peer, "");
      publisher.sql("begin; insert into t values (11, 'a'); prepare transaction 'early'");
      run(peer, "ALTER_REPLICATION_SLOT s (TWO_PHASE)");
    }
    List<Object> slot =
        publisher.sql("select two_phase, two_phase_at from pg_replication_slots").get(0);
    assertThat(slot.get(0)).isEqualTo(true);
    Lsn at = Lsn.parse(slot.get(1).toString());
    try (ReplicationPeer peer = connect()) {
      stream(peer, "");
      publisher.sql("begin; insert into t values (12, 'b'); prepare transaction 'late'");
      assertThat(peer.letters(3)).isEqualTo("bRI");
      assertThat(((Prepare) read(peer.nextData())).prepareLsn()).isGreaterThan(at.value());
      publisher.sql("commit prepared 'early'");
      assertThat(peer.letters(4)).isEqualTo("bIPK");
    }
  }

  @Test
  @DisplayName("S53: the statements of the story about test_decoding, as printed")
  void testDecoding() {
    publisher.sql(
        "SELECT * FROM pg_create_logical_replication_slot('regression_slot', 'test_decoding',"
            + " false, true)");
    publisher.sql("CREATE TABLE data(id serial primary key, data text)");
    publisher.sql(
        "BEGIN; INSERT INTO data(data) VALUES('5'); PREPARE TRANSACTION 'test_prepared1'");
    String changes = "SELECT * FROM pg_logical_slot_get_changes('regression_slot', NULL, NULL)";
    List<List<Object>> prepared = publisher.sql(changes);
    String xid = prepared.get(prepared.size() - 1).get(1).toString();
    assertThat(prepared)
        .extracting(row -> row.get(2))
        .endsWith(
            "BEGIN " + xid,
            "table public.data: INSERT: id[integer]:1 data[text]:'5'",
            "PREPARE TRANSACTION 'test_prepared1', txid " + xid);
    publisher.sql("COMMIT PREPARED 'test_prepared1'");
    assertThat(publisher.sql(changes))
        .extracting(row -> row.get(2))
        .containsExactly("COMMIT PREPARED 'test_prepared1', txid " + xid);
    assertThat(publisher.sql("SELECT * FROM data")).containsExactly(List.of(1, "5"));
    publisher.sql("DROP TABLE data");
  }

  @Test
  @DisplayName("REST makes, shows and alters two-phase slots and lists prepared transactions")
  void rest() throws Exception {
    JsonNode made =
        call("POST", "slots", "{\"slot_name\":\"s\",\"plugin\":\"pgoutput\",\"two_phase\":true}");
    assertThat(made.get("two_phase").asBoolean()).isTrue();
    assertThat(made.get("two_phase_at")).isEqualTo(made.get("confirmed_flush_lsn"));
    JsonNode off = call("PATCH", "slots/s", "{\"two_phase\":false}");
    assertThat(off.get("two_phase").asBoolean()).isFalse();
    assertThat(off.get("two_phase_at").isNull()).isTrue();
    publisher.sql("begin; delete from t; prepare transaction 'g'");
    JsonNode on = call("PATCH", "slots/s", "{\"two_phase\":true}");
    assertThat(Lsn.parse(on.get("two_phase_at").asString()).value())
        .isGreaterThan(Lsn.parse(made.get("two_phase_at").asString()).value());
    JsonNode listed = call("GET", "prepared-transactions", null);
    assertThat(listed).hasSize(1);
    assertThat(listed.get(0).get("gid").asString()).isEqualTo("g");
    assertThat(listed.get(0).get("database").asString()).isEqualTo("testdb");
  }

  private static JsonNode call(String method, String path, String body) throws Exception {
    HttpResponse<String> answer =
        HTTP.send(
            HttpRequest.newBuilder(
                    URI.create("http://localhost:" + publisher.port() + "/api/v1/" + path))
                .header("Content-Type", "application/json")
                .method(
                    method,
                    body == null
                        ? HttpRequest.BodyPublishers.noBody()
                        : HttpRequest.BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 201);
    return JSON.readTree(answer.body());
  }

  @Test
  @DisplayName("an option that needs another protocol version is refused and leaves the slot plain")
  void refused() throws Exception {
    try (ReplicationPeer peer = connect()) {
      createSlot(peer, "");
      assertThat(
              peer.errorOf(
                  "START_REPLICATION SLOT s LOGICAL 0/0 (proto_version '2', publication_names"
                      + " 'pub', two_phase 'on')"))
          .isEqualTo("22023");
    }
    assertThat(publisher.value("select two_phase from pg_replication_slots")).isEqualTo(false);
    assertThatThrownBy(() -> publisher.sql("commit prepared 'absent'"))
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.sqlState()).isEqualTo("42704"));
  }
}
