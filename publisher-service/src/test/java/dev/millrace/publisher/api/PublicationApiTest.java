package dev.millrace.publisher.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.publisher.PublisherApplication;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.sql.SqlSession;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("Publications and tables over REST")
class PublicationApiTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @TempDir static Path directory;
  private static ConfigurableApplicationContext application;
  private static String base;
  private final HttpClient client = HttpClient.newHttpClient();

  @BeforeAll
  static void start() {
    application =
        PublisherApplication.builder()
            .run("--server.port=0", "--millrace.data-dir=" + directory.resolve("data"));
    base =
        "http://127.0.0.1:"
            + application.getEnvironment().getProperty("local.server.port")
            + "/api/v1";
    sql(
        "CREATE TABLE tbl_1 (id int PRIMARY KEY, name varchar(20) NOT NULL,"
            + " twice int GENERATED ALWAYS AS (id * 2) STORED)");
    sql("CREATE SCHEMA \"Sales Dept\"");
    sql("CREATE TABLE \"Sales Dept\".\"Or/der\" (k bigint)");
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @AfterEach
  void dropPublications() throws Exception {
    for (JsonNode row : json(send("GET", "/publications", null))) {
      sql("DROP PUBLICATION \"" + row.get("pubname").stringValue() + "\"");
    }
  }

  private static void sql(String statement) {
    try (SqlSession session = application.getBean(PublisherNode.class).open()) {
      session.execute(statement, List.of());
    }
  }

  private HttpResponse<String> send(String method, String path, String body) throws Exception {
    HttpRequest.BodyPublisher publisher =
        body == null
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8);
    return client.send(
        HttpRequest.newBuilder(URI.create(base + path))
            .method(method, publisher)
            .header("Content-Type", "application/json")
            .build(),
        HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
  }

  private static JsonNode json(HttpResponse<String> response) {
    return JSON.readTree(response.body());
  }

  private void assertProblem(HttpResponse<String> response, int status, String sqlState) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(json(response).get("sqlstate").stringValue()).isEqualTo(sqlState);
  }

  @Test
  @DisplayName("a publication is created, read, altered, renamed and dropped under exact names")
  void lifeOfPublication() throws Exception {
    HttpResponse<String> created =
        send(
            "POST",
            "/publications",
            "{\"name\":\"My Pub\",\"tables\":[{\"name\":\"tbl_1\"},"
                + "{\"schema\":\"Sales Dept\",\"name\":\"Or/der\"}],\"publish\":[\"insert\"]}");
    assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
    assertThat(created.headers().firstValue("Location")).hasValue(base + "/publications/My%20Pub");
    JsonNode row = json(created);
    assertThat(row.propertyNames())
        .containsExactlyInAnyOrder(
            "oid",
            "pubname",
            "pubowner",
            "puballtables",
            "pubinsert",
            "pubupdate",
            "pubdelete",
            "pubtruncate",
            "pubviaroot",
            "pubgencols");
    assertThat(row.get("pubname").stringValue()).isEqualTo("My Pub");
    assertThat(row.get("pubinsert").booleanValue()).isTrue();
    assertThat(row.get("pubupdate").booleanValue()).isFalse();
    assertThat(json(send("GET", "/publications/My%20Pub", null))).isEqualTo(row);
    assertThat(send("GET", "/publications/My%20Pub/tables", null).body())
        .isEqualTo(
            "[{\"pubname\":\"My Pub\",\"schemaname\":\"Sales Dept\",\"tablename\":\"Or/der\","
                + "\"attnames\":\"{k}\",\"rowfilter\":null},"
                + "{\"pubname\":\"My Pub\",\"schemaname\":\"public\",\"tablename\":\"tbl_1\","
                + "\"attnames\":\"{id,name}\",\"rowfilter\":null}]");

    HttpResponse<String> altered =
        send(
            "PATCH",
            "/publications/My%20Pub",
            "{\"drop_tables\":[{\"schema\":\"public\",\"name\":\"tbl_1\"}],"
                + "\"add_tables_in_schema\":[\"public\"],\"publish\":[\"update\",\"delete\"],"
                + "\"publish_generated_columns\":\"stored\",\"rename_to\":\"q\"}");
    assertThat(altered.statusCode()).as(altered.body()).isEqualTo(200);
    assertThat(json(altered).get("pubname").stringValue()).isEqualTo("q");
    assertThat(json(altered).get("oid")).isEqualTo(row.get("oid"));
    assertThat(send("GET", "/publications/q/tables", null).body())
        .contains("\"attnames\":\"{id,name,twice}\"");
    assertProblem(send("GET", "/publications/My%20Pub", null), 404, "42704");

    assertThat(send("DELETE", "/publications/q", null).statusCode()).isEqualTo(204);
    assertProblem(send("DELETE", "/publications/q", null), 404, "42704");
  }

  @Test
  @DisplayName("a PATCH changes everything or nothing")
  void atomicPatch() throws Exception {
    send("POST", "/publications", "{\"name\":\"p\",\"tables\":[{\"name\":\"tbl_1\"}]}");
    JsonNode before = json(send("GET", "/publications/p", null));
    assertProblem(
        send(
            "PATCH",
            "/publications/p",
            "{\"publish\":[\"insert\"],\"rename_to\":\"r\",\"owner\":\"alice\"}"),
        404,
        "42704");
    assertThat(json(send("GET", "/publications/p", null))).isEqualTo(before);
    assertProblem(send("PATCH", "/publications/nosuch", "{}"), 404, "42704");
    assertThat(send("PATCH", "/publications/p", "{}").statusCode()).isEqualTo(200);
  }

  @Test
  @DisplayName("errors carry PostgreSQL's SQLSTATE and a status that fits")
  void errors() throws Exception {
    send("POST", "/publications", "{\"name\":\"p\",\"all_tables\":true}");
    assertProblem(send("POST", "/publications", "{\"name\":\"p\"}"), 409, "42710");
    assertProblem(
        send("POST", "/publications", "{\"name\":\"q\",\"tables\":[{\"name\":\"TBL_1\"}]}"),
        404,
        "42P01");
    assertProblem(
        send("PATCH", "/publications/p", "{\"add_tables\":[{\"name\":\"tbl_1\"}]}"), 409, "55000");
    assertProblem(send("PATCH", "/publications/p", "{\"publish\":[\"INSERT\"]}"), 422, "42601");
    assertProblem(
        send(
            "POST",
            "/publications",
            "{\"name\":\"q\",\"tables\":[{\"name\":\"tbl_1\",\"where\":\"random() > 1\"}]}"),
        422,
        "0A000");
    for (String bad :
        new String[] {"", "[", "{}", "{\"name\":7}", "{\"name\":\"q\",\"colour\":1}"}) {
      assertThat(send("POST", "/publications", bad).statusCode()).as(bad).isEqualTo(400);
    }
    assertThat(send("GET", "/publications?limit=0", null).statusCode()).isEqualTo(400);
  }

  @Test
  @DisplayName("lists come in name order, in pages")
  void pages() throws Exception {
    for (String name : new String[] {"b", "a", "c"}) {
      send("POST", "/publications", "{\"name\":\"" + name + "\"}");
    }
    HttpResponse<String> first = send("GET", "/publications?limit=2", null);
    assertThat(json(first))
        .extracting(row -> row.get("pubname").stringValue())
        .containsExactly("a", "b");
    assertThat(first.headers().firstValue("Link")).isPresent();
    HttpResponse<String> second = send("GET", "/publications?limit=2&after=b", null);
    assertThat(json(second))
        .extracting(row -> row.get("pubname").stringValue())
        .containsExactly("c");
    assertThat(second.headers().firstValue("Link")).isEmpty();
  }

  @Test
  @DisplayName("tables show columns, key and replica identity")
  void tables() throws Exception {
    JsonNode table = json(send("GET", "/tables/public/tbl_1", null));
    assertThat(table.get("primary_key").toString()).isEqualTo("[\"id\"]");
    assertThat(table.get("identity_columns").toString()).isEqualTo("[\"id\"]");
    assertThat(table.get("relreplident").stringValue()).isEqualTo("d");
    assertThat(table.get("replica_identity_index").isNull()).isTrue();
    assertThat(table.get("columns"))
        .extracting(
            column -> column.get("attname").stringValue() + " " + column.get("type").stringValue())
        .containsExactly("id integer", "name character varying(20)", "twice integer");
    assertThat(table.get("columns").get(2).get("attgenerated").stringValue()).isEqualTo("s");
    assertThat(json(send("GET", "/tables", null)))
        .extracting(row -> row.get("tablename").stringValue())
        .containsExactly("Or/der", "tbl_1");
    assertThat(
            json(send("GET", "/tables/Sales%20Dept/Or%2Fder", null)).get("tablename").stringValue())
        .isEqualTo("Or/der");
    assertProblem(send("GET", "/tables/public/nosuch", null), 404, "42P01");
  }
}
