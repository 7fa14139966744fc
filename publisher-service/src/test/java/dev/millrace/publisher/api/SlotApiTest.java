package dev.millrace.publisher.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.publisher.PublisherUnderTest;
import dev.millrace.publisher.walsender.ReplicationPeer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Slots, walsenders and the log over HTTP. */
class SlotApiTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir static Path dataDirectory;
  private static PublisherUnderTest publisher;

  @BeforeAll
  static void start() {
    publisher = PublisherUnderTest.start(dataDirectory);
    publisher.sql("create table t (id int primary key, v text)");
    publisher.sql("create publication mypub for table t");
  }

  @AfterAll
  static void stop() {
    publisher.close();
  }

  @AfterEach
  void clean() throws Exception {
    for (JsonNode slot : body(call("GET", "/api/v1/slots", null))) {
      String path = "/api/v1/slots/" + slot.get("slot_name").asString();
      Awaitility.await().until(() -> call("DELETE", path, null).statusCode() == 204);
    }
  }

  private static HttpResponse<String> call(String method, String path, String body)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + publisher.port() + path))
            .header("Content-Type", "application/json")
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static JsonNode body(HttpResponse<String> response) {
    return JSON.readTree(response.body());
  }

  private static HttpResponse<String> create(String name, String plugin) throws Exception {
    return call(
        "POST",
        "/api/v1/slots",
        "{\"slot_name\":\"%s\",\"plugin\":\"%s\",\"temporary\":false}".formatted(name, plugin));
  }

  @Test
  @DisplayName("a created slot answers 201 with its place and its row")
  void create() throws Exception {
    HttpResponse<String> created = create("s1", "pgoutput");
    assertThat(created.statusCode()).isEqualTo(201);
    assertThat(created.headers().firstValue("Location")).hasValue("/api/v1/slots/s1");
    JsonNode row = body(created);
    assertThat(row.get("confirmed_flush_lsn").asString()).matches("0/[0-9A-F]+");
    assertThat(row.get("active").asBoolean()).isFalse();
    assertThat(row.get("active_pid").isNull()).isTrue();
    assertThat(row.get("inactive_since").asString()).endsWith("Z");
    assertThat(row.get("wal_status").asString()).isEqualTo("reserved");
    assertThat(row.get("xmin").isNull()).isTrue();
    assertThat(row.get("catalog_xmin").isNumber()).isTrue();
    assertThat(row.propertyNames())
        .containsExactly(
            "slot_name",
            "plugin",
            "slot_type",
            "datoid",
            "database",
            "temporary",
            "active",
            "active_pid",
            "xmin",
            "catalog_xmin",
            "restart_lsn",
            "confirmed_flush_lsn",
            "wal_status",
            "safe_wal_size",
            "two_phase",
            "two_phase_at",
            "inactive_since",
            "conflicting",
            "invalidation_reason",
            "failover",
            "synced");
    assertThat(body(call("GET", "/api/v1/slots/s1", null))).isEqualTo(row);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "POST | /api/v1/slots | {\"slot_name\":\"taken\",\"plugin\":\"pgoutput\"} | 409 | 42710",
        "POST | /api/v1/slots | {\"slot_name\":\"Bad\",\"plugin\":\"pgoutput\"} | 422 | 42602",
        "POST | /api/v1/slots | {\"slot_name\":\"s\",\"plugin\":\"nonsense\"} | 422 | 58P01",
        "POST | /api/v1/slots | {\"slot_name\":\"s\"} | 400 | 22023",
        "POST | /api/v1/slots | {\"plugin\":\"pgoutput\"} | 400 | 22023",
        "POST | /api/v1/slots | {\"slot_name\":1,\"plugin\":\"pgoutput\"} | 400 | 22023",
        "POST | /api/v1/slots | {\"slot_name\":\"s\",\"plugin\":\"pgoutput\",\"x\":1} | 400 | 22023",
        "POST | /api/v1/slots | nonsense | 400 | 22023",
        "POST | /api/v1/slots | {\"slot_name\":\"s\",\"plugin\":\"pgoutput\",\"failover\":true} | 422 | 0A000",
        "POST | /api/v1/slots | {\"slot_name\":\"s\",\"slot_type\":\"physical\"} | 422 | 0A000",
        "GET | /api/v1/slots/absent | | 404 | 42704",
        "DELETE | /api/v1/slots/absent | | 404 | 42704",
        "GET | /api/v1/slots?limit=0 | | 400 | 22023",
        "POST | /api/v1/slots/taken/advance | {\"upto_lsn\":\"0/1000000\"} | 409 | 55000",
        "POST | /api/v1/slots/taken/advance | {\"upto_lsn\":\"nonsense\"} | 422 | 22P02",
        "POST | /api/v1/slots/taken/advance | {} | 400 | 22023",
        "POST | /api/v1/slots/taken/peek-changes | {\"binary\":true} | 422 | 22023",
        "GET | /api/v1/slots/absent/reorder-buffer | | 404 | 42704",
        "PATCH | /api/v1/slots/taken | {\"failover\":true} | 422 | 0A000"
      })
  @DisplayName("R2: what cannot be done is a problem document with its SQLSTATE")
  void problems(String method, String path, String body, int status, String sqlState)
      throws Exception {
    create("taken", "pgoutput");
    HttpResponse<String> response = call(method, path, body);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    assertThat(response.headers().firstValue("Content-Type"))
        .hasValueSatisfying(type -> assertThat(type).startsWith("application/problem+json"));
    assertThat(body(response).get("sqlstate").asString()).isEqualTo(sqlState);
    assertThat(body(call("GET", "/api/v1/slots", null))).hasSize(1);
  }

  @Test
  @DisplayName("a warning of the output plugin comes with the answer of the SQL functions")
  void pluginWarnings() throws Exception {
    create("s1", "pgoutput");
    publisher.sql("insert into t values (4711, 'warned')");
    HttpResponse<String> answer =
        call(
            "POST",
            "/api/v1/sql",
            "{\"sql\":\"select count(*) from pg_logical_slot_peek_binary_changes('s1', null, null,"
                + " 'proto_version', '1', 'publication_names', 'absent')\"}");
    assertThat(answer.statusCode()).isEqualTo(200);
    JsonNode notices = body(answer).get("notices");
    assertThat(notices).hasSize(1);
    assertThat(notices.get(0).get("severity").asString()).isEqualTo("WARNING");
    assertThat(notices.get(0).get("message").asString())
        .isEqualTo("skipped loading publication \"absent\"");
    publisher.sql("delete from t where id = 4711");
  }

  @Test
  @DisplayName("peek-changes repeats and get-changes consumes; binary data is hexadecimal")
  void changes() throws Exception {
    create("s1", "pgoutput");
    create("s2", "test_decoding");
    publisher.sql("insert into t values (1, 'one')");
    String binary =
        "{\"upto_lsn\":null,\"upto_nchanges\":null,\"binary\":true,\"options\":"
            + "{\"proto_version\":\"1\",\"publication_names\":\"mypub\"}}";
    JsonNode peeked = body(call("POST", "/api/v1/slots/s1/peek-changes", binary)).get("changes");
    assertThat(peeked).hasSize(4);
    assertThat(peeked.get(0).get("data").asString()).matches("42[0-9a-f]{40}");
    assertThat(peeked.get(0).get("xid").asLong()).isGreaterThan(730);
    assertThat(body(call("POST", "/api/v1/slots/s1/get-changes", binary)).get("changes"))
        .isEqualTo(peeked);
    assertThat(body(call("POST", "/api/v1/slots/s1/get-changes", binary)).get("changes")).isEmpty();
    JsonNode text =
        body(call("POST", "/api/v1/slots/s2/get-changes", "{\"options\":{\"include-xids\":\"0\"}}"))
            .get("changes");
    assertThat(text.get(1).get("data").asString())
        .isEqualTo("table public.t: INSERT: id[integer]:1 v[text]:'one'");
    publisher.sql("delete from t");
  }

  @Test
  @DisplayName("a position past the end advances to the end, and statistics can be reset")
  void advanceAndStatistics() throws Exception {
    create("s1", "pgoutput");
    publisher.sql("insert into t values (1, 'one')");
    String flushed = (String) publisher.value("select pg_current_wal_flush_lsn()");
    HttpResponse<String> advanced =
        call("POST", "/api/v1/slots/s1/advance", "{\"upto_lsn\":\"FFFFFFFF/FFFFFFFF\"}");
    assertThat(body(advanced).get("end_lsn").asString()).isEqualTo(flushed);
    JsonNode statistics = body(call("GET", "/api/v1/slots/s1/stats", null));
    assertThat(statistics.get("stats_reset").isNull()).isTrue();
    JsonNode reset = body(call("POST", "/api/v1/slots/s1/stats/reset", null));
    assertThat(reset.get("stats_reset").asString()).endsWith("Z");
    assertThat(reset.get("total_txns").asLong()).isZero();
    publisher.sql("delete from t");
  }

  @Test
  @DisplayName("a slot in use is 409; its walsender and ReorderBuffer can be watched")
  void inUse() throws Exception {
    create("s1", "pgoutput");
    JsonNode idle = body(call("GET", "/api/v1/slots/s1/reorder-buffer", null));
    assertThat(idle.get("active").asBoolean()).isFalse();
    assertThat(idle.get("size").asLong()).isZero();
    try (ReplicationPeer peer =
        ReplicationPeer.connect(publisher.port(), "dbname=testdb&application_name=mysub")) {
      peer.run(
          "START_REPLICATION SLOT s1 LOGICAL 0/0 (proto_version '1', publication_names 'mypub')");
      HttpResponse<String> dropped = call("DELETE", "/api/v1/slots/s1", null);
      assertThat(dropped.statusCode()).isEqualTo(409);
      assertThat(body(dropped).get("sqlstate").asString()).isEqualTo("55006");
      JsonNode senders = body(call("GET", "/api/v1/wal-senders", null));
      assertThat(senders.get(0).get("application_name").asString()).isEqualTo("mysub");
      assertThat(senders.get(0).propertyNames()).hasSize(20);
      JsonNode active = body(call("GET", "/api/v1/slots/s1/reorder-buffer", null));
      assertThat(active.get("active").asBoolean()).isTrue();
      assertThat(active.get("limit").asLong()).isEqualTo(64L << 20);
    }
  }

  @Test
  @DisplayName("an open transaction can be seen in the ReorderBuffer")
  void reorderBuffer() throws Exception {
    create("s1", "pgoutput");
    String session = body(call("POST", "/api/v1/sessions", null)).get("id").asString();
    try (ReplicationPeer peer = ReplicationPeer.connect(publisher.port(), "dbname=testdb")) {
      peer.run(
          "START_REPLICATION SLOT s1 LOGICAL 0/0 (proto_version '1', publication_names 'mypub')");
      call(
          "POST",
          "/api/v1/sessions/" + session + "/sql",
          "{\"sql\":\"begin; insert into t values (7, 'x'); savepoint a; insert into t values (8, 'y')\"}");
      publisher.sql("create table nudge" + System.nanoTime() + " (id int primary key)");
      Awaitility.await()
          .until(
              () ->
                  !body(call("GET", "/api/v1/slots/s1/reorder-buffer", null))
                      .get("transactions")
                      .isEmpty());
      Awaitility.await()
          .until(
              () ->
                  body(call("GET", "/api/v1/slots/s1/reorder-buffer", null))
                          .get("transactions")
                          .get(0)
                          .get("changes")
                          .asLong()
                      == 2);
      JsonNode txn =
          body(call("GET", "/api/v1/slots/s1/reorder-buffer", null)).get("transactions").get(0);
      assertThat(txn.get("first_lsn").asString()).matches("0/[0-9A-F]+");
      assertThat(txn.get("final_lsn").isNull()).isTrue();
      assertThat(txn.get("subtransactions")).hasSize(1);
      assertThat(txn.get("serialized").asBoolean()).isFalse();
    } finally {
      call("DELETE", "/api/v1/sessions/" + session, null);
    }
  }

  @Test
  @DisplayName("lists come in name order, in pages")
  void pages() throws Exception {
    create("b", "pgoutput");
    create("a", "pgoutput");
    create("c", "pgoutput");
    HttpResponse<String> first = call("GET", "/api/v1/slots?limit=2", null);
    assertThat(body(first).get(0).get("slot_name").asString()).isEqualTo("a");
    assertThat(first.headers().firstValue("Link"))
        .hasValueSatisfying(link -> assertThat(link).contains("after=b").endsWith("rel=\"next\""));
    HttpResponse<String> second = call("GET", "/api/v1/slots?limit=2&after=b", null);
    assertThat(body(second)).hasSize(1);
    assertThat(second.headers().firstValue("Link")).isEmpty();
  }

  @Test
  @DisplayName("the log shows its positions, its segments and the slot that keeps it")
  void wal() throws Exception {
    create("s1", "pgoutput");
    JsonNode wal = body(call("GET", "/api/v1/wal", null));
    assertThat(wal.get("insert_lsn").asString()).matches("0/[0-9A-F]+");
    assertThat(wal.get("kept_by_slot").asString()).isEqualTo("s1");
    assertThat(wal.get("segments").get(0).asString()).matches("[0-9A-F]{24}");
    assertThat(body(call("POST", "/api/v1/checkpoint", null)).get("redo_lsn").asString())
        .matches("0/[0-9A-F]+");
  }

  @Test
  @DisplayName("status, health and metrics tell of the log and the slots")
  void watching() throws Exception {
    create("s1", "pgoutput");
    JsonNode status = body(call("GET", "/api/v1/status", null));
    assertThat(status.get("role").asString()).isEqualTo("publisher");
    assertThat(status.toString()).contains("\"slots\":1");
    for (String probe : new String[] {"liveness", "readiness"}) {
      HttpResponse<String> health = call("GET", "/actuator/health/" + probe, null);
      assertThat(health.statusCode()).isEqualTo(200);
      assertThat(body(health).get("status").asString()).isEqualTo("UP");
    }
    assertThat(call("GET", "/actuator/health/readiness", null).body())
        .contains("\"wal\"", "\"db\"", "\"diskSpace\"");
    Awaitility.await()
        .until(
            () ->
                call("GET", "/actuator/prometheus", null)
                    .body()
                    .contains("millrace_slot_lag_bytes{slot_name=\"s1\"}"));
    assertThat(call("GET", "/actuator/prometheus", null).body())
        .contains(
            "millrace_slot_retained_wal_bytes{slot_name=\"s1\"}",
            "millrace_wal_inserted_bytes_total",
            "millrace_wal_segments",
            "millrace_walsenders");
  }
}
