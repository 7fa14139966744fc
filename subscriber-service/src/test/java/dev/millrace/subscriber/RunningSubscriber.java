package dev.millrace.subscriber;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The real subscriber service on a free port, spoken to over HTTP. */
public final class RunningSubscriber implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final HttpClient http = HttpClient.newHttpClient();
  private final ServletWebServerApplicationContext context;
  private final String base;

  /** An answer; {@code body} is null where there was none. */
  public record Answer(int status, JsonNode body, Map<String, List<String>> headers) {

    /** A member of the problem document or object. */
    public String text(String member) {
      JsonNode node = body == null ? null : body.get(member);
      return node == null || node.isNull() ? null : node.asString();
    }
  }

  public RunningSubscriber(Path dataDir, String... arguments) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "--server.port=0",
                "--millrace.data-dir=" + dataDir,
                "--millrace.settings.wal_retrieve_retry_interval=50ms"));
    all.addAll(List.of(arguments));
    context =
        (ServletWebServerApplicationContext)
            SubscriberApplication.builder().run(all.toArray(String[]::new));
    base = "http://127.0.0.1:" + context.getWebServer().getPort();
  }

  public <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  /** For MockMvc. */
  public org.springframework.web.context.WebApplicationContext webContext() {
    return context;
  }

  public Answer get(String path) {
    return call("GET", path, null);
  }

  public Answer post(String path, String body) {
    return call("POST", path, body);
  }

  public Answer patch(String path, String body) {
    return call("PATCH", path, body);
  }

  public Answer delete(String path) {
    return call("DELETE", path, null);
  }

  /** One call of /sql. */
  public Answer sql(String sql) {
    return post("/api/v1/sql", JSON.writeValueAsString(Map.of("sql", sql)));
  }

  /** The rows of a SELECT, each value as text. */
  public List<List<String>> rows(String sql) {
    Answer answer = sql(sql);
    if (answer.status() != 200) {
      throw new AssertionError(sql + ": " + answer.body());
    }
    return answer
        .body()
        .get("results")
        .get(0)
        .get("rows")
        .valueStream()
        .map(
            row ->
                row.valueStream().map(value -> value.isNull() ? null : value.asString()).toList())
        .toList();
  }

  /** The whole body as text, whatever its type. */
  public String text(String path) {
    try {
      return http.send(
              HttpRequest.newBuilder(URI.create(base + path)).build(),
              HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8))
          .body();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  public Answer call(String method, String path, String body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8));
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    try {
      HttpResponse<String> answer =
          http.send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
      boolean empty = answer.body().isEmpty();
      return new Answer(
          answer.statusCode(), empty ? null : JSON.readTree(answer.body()), answer.headers().map());
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(method + " " + path, e);
    }
  }

  @Override
  public void close() {
    context.close();
  }
}
