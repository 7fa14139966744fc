package dev.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.settings.SettingDefinition;
import dev.millrace.settings.Settings;
import dev.millrace.sql.ResultColumn;
import dev.millrace.sql.SqlResponse;
import dev.millrace.sql.SqlSession;
import dev.millrace.sql.SqlSessionFactory;
import dev.millrace.sql.StatementResult;
import dev.millrace.sql.TransactionStatus;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("The HTTP pieces both services serve")
class SharedApiTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static ServletWebServerApplicationContext context;
  private static String base;

  @BeforeAll
  static void start() {
    context =
        (ServletWebServerApplicationContext)
            new SpringApplicationBuilder(TestService.class)
                .run(
                    "--server.port=0",
                    "--server.address=127.0.0.1",
                    "--spring.mvc.problemdetails.enabled=true");
    base = "http://127.0.0.1:" + context.getWebServer().getPort();
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  @Test
  @DisplayName("/sql answers command tags, typed columns, rows and notices")
  void sql() throws Exception {
    HttpResponse<String> answer =
        post("/api/v1/sql", "{\"sql\":\"rows\",\"parameters\":[1,\"x\"]}");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(JSON.readTree(answer.body()))
        .isEqualTo(
            JSON.readTree(
                """
                {"results":[
                  {"command":"SELECT 1",
                   "columns":[{"name":"a","type":"int8"},{"name":"b","type":"text"}],
                   "rows":[[9007199254740991,null]]},
                  {"command":"CREATE TABLE"}],
                 "notices":[{"severity":"NOTICE","sqlstate":"00000","message":"hello"}],
                 "transaction_status":"I"}"""));
  }

  @Test
  @DisplayName("every SQL error of /sql is 422 with its SQLSTATE, hint, position and column")
  void sqlError() throws Exception {
    HttpResponse<String> answer = post("/api/v1/sql", "{\"sql\":\"fail\"}");

    assertThat(answer.statusCode()).isEqualTo(422);
    JsonNode problem = problem(answer);
    assertThat(problem.get("type").asString()).isEqualTo("about:blank");
    assertThat(problem.get("title").asString()).isNotEmpty();
    assertThat(problem.get("status").asInt()).isEqualTo(422);
    assertThat(problem.get("detail").asString()).isEqualTo("relation \"t\" does not exist");
    assertThat(problem.get("sqlstate").asString()).isEqualTo("42P01");
    assertThat(problem.get("hint").asString()).isEqualTo("h");
    assertThat(problem.get("errdetail").asString()).isEqualTo("d");
    assertThat(problem.get("position").asInt()).isEqualTo(15);
    assertThat(problem.get("column").asString()).isEqualTo("c");
  }

  @Test
  @DisplayName("a BEGIN left open at the end of /sql is 422 with 25000, and the session is closed")
  void openTransaction() throws Exception {
    int closedBefore = FakeSession.closed.get();
    HttpResponse<String> answer = post("/api/v1/sql", "{\"sql\":\"begin\"}");

    assertThat(answer.statusCode()).isEqualTo(422);
    assertThat(problem(answer).get("sqlstate").asString()).isEqualTo("25000");
    assertThat(FakeSession.closed.get()).isEqualTo(closedBefore + 1);
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("a body that is no request is 400 and says why")
  @CsvSource(
      delimiter = '|',
      value = {
        "not json|malformed JSON",
        "{\"sql\":\"x\"|malformed JSON",
        "[]|expected form",
        "{}|\"sql\" is required",
        "{\"sql\":null}|\"sql\" is required",
        "{\"sql\":1}|\"sql\"",
        "{\"sql\":\"x\",\"sqll\":1}|unknown member \"sqll\"",
        "{\"sql\":\"x\",\"sql\":\"y\"}|uplicate",
        "{\"sql\":\"x\",\"parameters\":{}}|\"parameters\"",
        "{\"sql\":\"x\"} trailing|malformed JSON",
        "''|body is required",
      })
  void badBody(String body, String message) throws Exception {
    HttpResponse<String> answer = post("/api/v1/sql", body == null ? "" : body);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(problem(answer).get("detail").asString()).contains(message).doesNotContain("dev.");
    assertThat(problem(answer).get("sqlstate").asString()).isNotEmpty();
  }

  @ParameterizedTest(name = "{0} {1}")
  @DisplayName("what no controller takes is a problem document too")
  @CsvSource({
    "GET, /nothing/here, 404",
    "GET, /api/v1/nothing, 404",
    "PUT, /api/v1/sql, 405",
    "GET, /api/v1/unknown-session-path, 404",
    "DELETE, /api/v1/sessions/no-such, 404",
    "GET, /names?limit=0, 400",
    "GET, /names?limit=1001, 400",
    "GET, /names?limit=x, 400",
    "GET, /broken, 500",
  })
  void otherErrors(String method, String path, int status) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(base + path))
            .method(method, HttpRequest.BodyPublishers.ofString("{}"))
            .header("Content-Type", "application/json")
            .header("Accept", "text/html,*/*;q=0.1")
            .build();
    HttpResponse<String> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());

    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(problem(answer).get("status").asInt()).isEqualTo(status);
    assertThat(problem(answer).get("sqlstate").asString()).hasSize(5);
  }

  @Test
  @DisplayName("another content type is 415, and a malformed request line is 400, as problems")
  void wrongContentType() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(base + "/api/v1/sql"))
            .POST(HttpRequest.BodyPublishers.ofString("select 1"))
            .header("Content-Type", "text/plain")
            .build();
    HttpResponse<String> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(415);
    problem(answer);

    String raw = raw("GET /a|<b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assertThat(raw).startsWith("HTTP/1.1 400").contains("application/problem+json", "\"sqlstate\"");
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("typed calls map the SQLSTATE to a status")
  @CsvSource({
    "42710, 409", "42P06, 409", "55006, 409", "55000, 409", "42704, 404", "42P01, 404",
    "08006, 503", "08P01, 503", "53300, 429", "53400, 429", "57014, 504", "57P03, 503",
    "22023, 422", "0A000, 422", "42601, 422", "25001, 422", "XX000, 500",
  })
  void typedCalls(String sqlState, int status) throws Exception {
    HttpResponse<String> answer = get("/fail/" + sqlState);
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(problem(answer).get("sqlstate").asString()).isEqualTo(sqlState);
  }

  @Test
  @DisplayName("a body above the limit is 413, whether its length is told or not")
  void tooLarge() throws Exception {
    byte[] body = new byte[17 * 1024 * 1024];
    Arrays.fill(body, (byte) ' ');
    HttpRequest.BodyPublisher told = HttpRequest.BodyPublishers.ofByteArray(body);
    HttpRequest.BodyPublisher chunked =
        HttpRequest.BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(body));
    for (HttpRequest.BodyPublisher publisher : List.of(told, chunked)) {
      HttpResponse<String> answer =
          HTTP.send(
              HttpRequest.newBuilder(URI.create(base + "/api/v1/sql"))
                  .POST(publisher)
                  .header("Content-Type", "application/json")
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(413);
      assertThat(problem(answer).get("sqlstate").asString()).isEqualTo("54000");
    }
  }

  @Test
  @DisplayName("a session keeps its transaction, takes one call at a time and ends by DELETE")
  void session() throws Exception {
    HttpResponse<String> opened = post("/api/v1/sessions", "");
    assertThat(opened.statusCode()).isEqualTo(201);
    String location = opened.headers().firstValue("Location").orElseThrow();
    assertThat(location)
        .isEqualTo("/api/v1/sessions/" + JSON.readTree(opened.body()).get("id").asString());

    HttpResponse<String> begun = post(location + "/sql", "{\"sql\":\"begin\"}");
    assertThat(JSON.readTree(begun.body()).get("transaction_status").asString()).isEqualTo("T");

    CompletableFuture<HttpResponse<String>> slow =
        CompletableFuture.supplyAsync(() -> unchecked(location + "/sql", "{\"sql\":\"wait\"}"));
    FakeSession.waiting.await();
    HttpResponse<String> second = post(location + "/sql", "{\"sql\":\"rows\"}");
    assertThat(second.statusCode()).isEqualTo(409);
    assertThat(problem(second).get("sqlstate").asString()).isEqualTo("55006");

    int closedBefore = FakeSession.closed.get();
    HttpResponse<String> ended =
        HTTP.send(
            HttpRequest.newBuilder(URI.create(base + location)).DELETE().build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(ended.statusCode()).isEqualTo(204);
    assertThat(slow.get().statusCode()).isEqualTo(422);
    assertThat(problem(slow.get()).get("sqlstate").asString()).isEqualTo("57014");
    assertThat(FakeSession.closed.get()).isEqualTo(closedBefore + 1);
    assertThat(post(location + "/sql", "{\"sql\":\"rows\"}").statusCode()).isEqualTo(404);
  }

  @Test
  @DisplayName("a session that nobody calls ends after idle_session_timeout")
  void idleSession() throws Exception {
    String location = post("/api/v1/sessions", "").headers().firstValue("Location").orElseThrow();
    Settings settings = context.getBean(Settings.class);
    settings.set("idle_session_timeout", "1ms");
    try {
      await()
          .untilAsserted(
              () ->
                  assertThat(post(location + "/sql", "{\"sql\":\"rows\"}").statusCode())
                      .isEqualTo(404));
    } finally {
      settings.set("idle_session_timeout", "10min");
    }
  }

  @Test
  @DisplayName("settings are listed, found and changed; an unknown one is 404")
  void settings() throws Exception {
    JsonNode all = JSON.readTree(get("/api/v1/settings").body());
    assertThat(all).hasSize(context.getBean(Settings.class).definitions().size());
    assertThat(
            JSON.readTree(get("/api/v1/settings/test_conninfo").body()).get("setting").asString())
        .isEqualTo("host=h password=******** port=1");
    JsonNode one = JSON.readTree(get("/api/v1/settings/logical_decoding_work_mem").body());
    assertThat(one.get("unit").asString()).isEqualTo("kB");
    assertThat(one.get("default").asString()).isEqualTo("65536");
    assertThat(one.get("context").asString()).isEqualTo("user");

    HttpResponse<String> unknown = get("/api/v1/settings/nonsense");
    assertThat(unknown.statusCode()).isEqualTo(404);
    assertThat(problem(unknown).get("detail").asString())
        .isEqualTo("unrecognized configuration parameter \"nonsense\"");

    HttpResponse<String> refused =
        patch("/api/v1/settings/logical_decoding_work_mem", "{\"setting\":\"many\"}");
    assertThat(refused.statusCode()).isEqualTo(422);
    assertThat(patch("/api/v1/settings/logical_decoding_work_mem", "{}").statusCode())
        .isEqualTo(400);
    assertThat(
            patch("/api/v1/settings/logical_decoding_work_mem", "{\"setting\":\"8MB\"}")
                .statusCode())
        .isEqualTo(200);
  }

  @Test
  @DisplayName("lists are ordered by name and give the next page's address")
  void paging() throws Exception {
    HttpResponse<String> first = get("/names?limit=2");
    assertThat(first.body()).isEqualTo("[\"a\",\"b c\"]");
    String link = first.headers().firstValue("Link").orElseThrow();
    assertThat(link).endsWith(">; rel=\"next\"");
    URI next = URI.create(link.substring(1, link.indexOf('>')));
    HttpResponse<String> second =
        HTTP.send(HttpRequest.newBuilder(next).build(), HttpResponse.BodyHandlers.ofString());
    assertThat(second.body()).isEqualTo("[\"d/e\",\"f\"]");
    assertThat(second.headers().firstValue("Link")).isEmpty();
  }

  @Test
  @DisplayName("a name in a path may hold any character, a slash too")
  void slashInPath() throws Exception {
    assertThat(get("/name/flobble-biscuits%3Fwhat%2Fhaha%22%20%C3%A9").body())
        .isEqualTo("flobble-biscuits?what/haha\" é");
  }

  @Test
  @DisplayName("status collects counts and problems of all parts")
  void status() throws Exception {
    JsonNode status = JSON.readTree(get("/api/v1/status").body());
    assertThat(status.get("role").asString()).isEqualTo("publisher");
    assertThat(status.get("current_lsn").asString()).isEqualTo("0/1000000");
    assertThat(status.get("counts").get("things").asInt()).isEqualTo(3);
    assertThat(status.get("counts").has("sessions")).isTrue();
    assertThat(status.get("problems").get(0).asString()).isEqualTo("it rains");
    assertThat(status.get("up_time").asLong()).isNotNegative();
  }

  @Test
  @DisplayName("the OpenAPI document has one relative server and a problem for every call")
  void openApi() throws Exception {
    JsonNode document = JSON.readTree(get("/v3/api-docs").body());
    assertThat(document.get("servers")).hasSize(1);
    assertThat(document.get("servers").get(0).get("url").asString()).isEqualTo("/");
    assertThat(
            document
                .at("/paths/~1api~1v1~1sql/post/responses/default/content")
                .has("application/problem+json"))
        .isTrue();
  }

  @Test
  @DisplayName("Swagger UI is served at the address of api.md")
  void swaggerUi() throws Exception {
    assertThat(get("/swagger-ui/index.html").statusCode()).isEqualTo(200);
    assertThat(get("/swagger-ui/index.html").body()).contains("swagger-ui");
    assertThat(get("/v3/api-docs.yaml").statusCode()).isEqualTo(200);
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("an address that others can reach is refused unless it is allowed")
  @CsvSource({"0.0.0.0", "192.168.3.10", "''", "::"})
  void loopbackOnly(String address) {
    assertThat(
            org.assertj.core.api.Assertions.catchThrowable(
                () -> LoopbackGuard.check(address, false)))
        .hasMessageContaining("millrace.security.allow-anonymous=true");
    LoopbackGuard.check(address, true);
    LoopbackGuard.check("127.0.0.1", false);
    LoopbackGuard.check("localhost", false);
    LoopbackGuard.check("::1", false);
  }

  @Test
  @DisplayName("passwords are masked in connection strings of either form")
  void secrets() {
    assertThat(Secrets.mask("host=h password='se cret' port=1"))
        .isEqualTo("host=h password=******** port=1");
    assertThat(Secrets.mask("ws://u:secret@h:1/replication?dbname=d&password=x"))
        .isEqualTo("ws://u:********@h:1/replication?dbname=d&password=********");
    assertThat(Secrets.mask("host=h PASSWORD = it''s")).doesNotContain("it");
  }

  private static JsonNode problem(HttpResponse<String> answer) {
    assertThat(answer.headers().firstValue("Content-Type"))
        .hasValueSatisfying(type -> assertThat(type).startsWith("application/problem+json"));
    return JSON.readTree(answer.body());
  }

  private static HttpResponse<String> get(String path) throws Exception {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create(base + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static HttpResponse<String> post(String path, String body) throws Exception {
    return send("POST", path, body);
  }

  private static HttpResponse<String> patch(String path, String body) throws Exception {
    return send("PATCH", path, body);
  }

  private static HttpResponse<String> send(String method, String path, String body)
      throws Exception {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create(base + path))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .header("Content-Type", "application/json")
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static HttpResponse<String> unchecked(String path, String body) {
    try {
      return post(path, body);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static String raw(String request) throws Exception {
    try (Socket socket = new Socket("127.0.0.1", context.getWebServer().getPort())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      try (InputStream in = socket.getInputStream()) {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
      }
    }
  }

  @SpringBootApplication
  @Import(SharedApiConfiguration.class)
  static class TestService {

    @Bean
    Settings settings() {
      List<SettingDefinition> known =
          new java.util.ArrayList<>(dev.millrace.settings.SettingTable.definitions());
      known.add(
          new SettingDefinition(
              "test_conninfo",
              SettingDefinition.Type.STRING,
              null,
              "",
              SettingDefinition.Context.SIGHUP,
              "where",
              null,
              null,
              null));
      return new Settings(known, Map.of("test_conninfo", "host=h password=secret port=1"));
    }

    @Bean
    Clock clock() {
      return Clock.systemUTC();
    }

    @Bean
    SqlSessionFactory sessions() {
      return FakeSession::new;
    }

    @Bean
    NodeStatus node() {
      return new NodeStatus() {
        @Override
        public String role() {
          return "publisher";
        }

        @Override
        public String systemIdentifier() {
          return "7";
        }

        @Override
        public String currentLsn() {
          return "0/1000000";
        }
      };
    }

    @Bean
    StatusContributor things() {
      return new StatusContributor() {
        @Override
        public Map<String, Number> counts() {
          return Map.of("things", 3);
        }

        @Override
        public List<String> problems() {
          return List.of("it rains");
        }
      };
    }

    @Bean
    ReplicationOriginSource origins() {
      return List::of;
    }

    @Bean
    Typed typed() {
      return new Typed();
    }
  }

  @RestController
  static class Typed {
    @GetMapping("/fail/{sqlState}")
    void fail(@PathVariable String sqlState) {
      throw new PgException(sqlState, "it failed");
    }

    @GetMapping("/broken")
    void broken() {
      throw new IllegalStateException("broken");
    }

    @GetMapping("/name/{name}")
    String name(@PathVariable String name) {
      return name;
    }

    @GetMapping("/names")
    ResponseEntity<List<String>> names(
        @RequestParam(required = false) Integer limit,
        @RequestParam(required = false) String after) {
      return Paging.page(List.of("f", "a", "d/e", "b c"), name -> name, limit, after);
    }
  }

  /** A session whose statements are words. */
  static final class FakeSession implements SqlSession {
    static final AtomicInteger closed = new AtomicInteger();
    static final CountDownLatch waiting = new CountDownLatch(1);
    private final CountDownLatch cancelled = new CountDownLatch(1);
    private TransactionStatus status = TransactionStatus.IDLE;

    @Override
    public long pid() {
      return 1;
    }

    @Override
    public TransactionStatus status() {
      return status;
    }

    @Override
    public SqlResponse execute(String sql, List<Object> parameters) {
      switch (sql) {
        case "begin":
          status = TransactionStatus.IN_TRANSACTION;
          return new SqlResponse(List.of(StatementResult.ofCommand("BEGIN")), List.of(), status);
        case "fail":
          throw new PgException("42P01", "relation \"t\" does not exist")
              .withDetail("d")
              .withHint("h")
              .withColumn("c")
              .withPosition(15);
        case "wait":
          waiting.countDown();
          try {
            cancelled.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          throw new PgException("57014", "canceling statement due to user request");
        default:
          return new SqlResponse(
              List.of(
                  new StatementResult(
                      "SELECT 1",
                      List.of(new ResultColumn("a", "int8"), new ResultColumn("b", "text")),
                      List.of(Arrays.asList(9007199254740991L, null))),
                  StatementResult.ofCommand("CREATE TABLE")),
              List.of(Notice.notice("hello")),
              status);
      }
    }

    @Override
    public void notice(Notice notice) {
      throw new UnsupportedOperationException("no function calls this session");
    }

    @Override
    public void cancel() {
      cancelled.countDown();
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }
}
