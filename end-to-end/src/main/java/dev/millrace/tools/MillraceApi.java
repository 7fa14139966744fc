package dev.millrace.tools;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The REST interface of one service as a script uses it. Safe for any thread. */
public final class MillraceApi {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Duration CALL_TIMEOUT = Duration.ofMinutes(10);

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(10))
          .build();
  private final String host;
  private final int port;
  private final String baseUrl;

  public MillraceApi(String host, int port) {
    this.host = host;
    this.port = port;
    baseUrl = "http://" + host + ":" + port;
  }

  public String baseUrl() {
    return baseUrl;
  }

  /** An answer with its status; {@code body} is null where there was none. */
  public record Answer(int status, JsonNode body, String text) {}

  /** A call the service refused. */
  public static final class Refused extends RuntimeException {
    private final transient Answer answer;

    Refused(String call, Answer answer) {
      super(call + " answered " + answer.status() + ": " + answer.text());
      this.answer = answer;
    }

    public int status() {
      return answer.status();
    }

    /** A member of the problem document, or null. */
    public String member(String name) {
      JsonNode node = answer.body() == null ? null : answer.body().get(name);
      return node == null || node.isNull() ? null : node.asString();
    }

    public String sqlState() {
      return member("sqlstate");
    }
  }

  public JsonNode get(String path) {
    return checked("GET " + path, call("GET", path, null));
  }

  public JsonNode post(String path, Object body) {
    return checked("POST " + path, call("POST", path, body));
  }

  public JsonNode patch(String path, Object body) {
    return checked("PATCH " + path, call("PATCH", path, body));
  }

  public JsonNode delete(String path) {
    return checked("DELETE " + path, call("DELETE", path, null));
  }

  /** The results of one simple query. */
  public JsonNode sql(String sql) {
    return post("/api/v1/sql", Map.of("sql", sql)).get("results");
  }

  /** The rows of a single SELECT, values as text, null as null. */
  public List<List<String>> rows(String sql) {
    JsonNode results = sql(sql);
    return rowsOf(results.get(results.size() - 1));
  }

  public static List<List<String>> rowsOf(JsonNode result) {
    return result.get("rows").valueStream().map(MillraceApi::texts).toList();
  }

  private static List<String> texts(JsonNode row) {
    return row.valueStream().map(value -> value.isNull() ? null : value.asString()).toList();
  }

  /** The single value of a SELECT as text. */
  public String value(String sql) {
    return rows(sql).get(0).get(0);
  }

  /** A session that keeps its transaction between calls. */
  public Session openSession() {
    return new Session(post("/api/v1/sessions", null).get("id").asString());
  }

  /** One session of this service on a connection of its own. One call at a time. */
  public final class Session implements AutoCloseable {
    private final String path;
    private final String sqlPath;
    private final KeepAliveConnection connection = new KeepAliveConnection(host, port);

    Session(String id) {
      path = "/api/v1/sessions/" + id;
      sqlPath = path + "/sql";
    }

    public JsonNode sql(String sql) {
      return answer(sql).get("results");
    }

    /** The whole answer with notices and transaction_status. */
    public JsonNode answer(String sql) {
      byte[] body = JSON.writeValueAsBytes(Map.of("sql", sql));
      try {
        KeepAliveConnection.Response response = connection.post(sqlPath, body);
        String text = new String(response.body(), StandardCharsets.UTF_8);
        JsonNode json = response.json() ? JSON.readTree(text) : null;
        return checked("POST " + sqlPath, new Answer(response.status(), json, text));
      } catch (IOException e) {
        throw new java.io.UncheckedIOException("POST " + baseUrl + sqlPath, e);
      }
    }

    @Override
    public void close() {
      connection.close();
      delete(path);
    }
  }

  /** Any call, whatever its answer. */
  public Answer call(String method, String path, Object body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(baseUrl + path)).timeout(CALL_TIMEOUT);
    if (body == null) {
      request.method(method, HttpRequest.BodyPublishers.noBody());
    } else {
      String text = body instanceof String raw ? raw : JSON.writeValueAsString(body);
      request.header("Content-Type", "application/json");
      request.method(method, HttpRequest.BodyPublishers.ofString(text, StandardCharsets.UTF_8));
    }
    try {
      HttpResponse<String> response =
          http.send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
      String type = response.headers().firstValue("Content-Type").orElse("");
      boolean json = type.contains("json") && !response.body().isEmpty();
      return new Answer(
          response.statusCode(), json ? JSON.readTree(response.body()) : null, response.body());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(method + " " + baseUrl + path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted during " + method + " " + path, e);
    }
  }

  /** Whether the service says it is ready; false as well while it cannot be reached. */
  public boolean isReady() {
    try {
      return call("GET", "/actuator/health/readiness", null).status() == 200;
    } catch (java.io.UncheckedIOException e) {
      return false;
    }
  }

  private static JsonNode checked(String call, Answer answer) {
    if (answer.status() >= 300) {
      throw new Refused(call, answer);
    }
    return answer.body();
  }

  /** A path segment. */
  public static String segment(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
