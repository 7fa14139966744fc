package dev.millrace.publisher.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.publisher.PublisherUnderTest;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What Swagger UI fills in when a call is tried out works as it stands. */
class SwaggerExamplesTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @TempDir Path dataDirectory;

  private record Call(String method, String path, String body) {
    /** What is made must be there before it is looked at, and is dropped last. */
    int rank() {
      if (method.equals("DELETE")) {
        return 4;
      }
      if (!method.equals("POST")) {
        return 2;
      }
      return path.equals("/api/v1/publications") ? 0 : path.equals("/api/v1/slots") ? 1 : 3;
    }
  }

  @Test
  @DisplayName("every call's example runs, in the order of a first look around")
  void examples() throws Exception {
    try (PublisherUnderTest publisher = PublisherUnderTest.start(dataDirectory)) {
      publisher.sql("create table tbl_1 (id int primary key, name text)");
      String base = "http://127.0.0.1:" + publisher.port();
      JsonNode document = JSON.readTree(send(base, new Call("GET", "/v3/api-docs", null)).body());
      List<Call> calls = calls(document);
      assertThat(calls).hasSizeGreaterThan(20);
      calls.sort(Comparator.comparingInt(Call::rank));
      for (Call call : calls) {
        HttpResponse<String> response = send(base, call);
        assertThat(response.statusCode()).as(call + " -> " + response.body()).isBetween(200, 299);
      }
    }
  }

  private static HttpResponse<String> send(String base, Call call) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(base + call.path))
            .header("Content-Type", "application/json")
            .method(
                call.method,
                call.body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(call.body))
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  /** All calls but those on a session, whose id cannot be known beforehand. */
  private static List<Call> calls(JsonNode document) {
    List<Call> calls = new ArrayList<>();
    for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
      for (Map.Entry<String, JsonNode> operation : path.getValue().properties()) {
        String url = path.getKey();
        for (JsonNode parameter : operation.getValue().path("parameters")) {
          if (parameter.get("in").asString().equals("path") && parameter.has("example")) {
            url =
                url.replace(
                    "{" + parameter.get("name").asString() + "}",
                    parameter.get("example").asString());
          }
        }
        if (!url.contains("{id}")) {
          assertThat(url).as("every path parameter has an example").doesNotContain("{");
          calls.add(
              new Call(
                  operation.getKey().toUpperCase(Locale.ROOT),
                  url,
                  body(document, operation.getValue())));
        }
      }
    }
    return calls;
  }

  private static String body(JsonNode document, JsonNode operation) {
    if (!operation.has("requestBody")) {
      return null;
    }
    String reference =
        operation.at("/requestBody/content/application~1json/schema/$ref").asString();
    JsonNode schema = document.at(reference.substring(1));
    if (schema.has("example")) {
      return schema.get("example").toString();
    }
    Map<String, JsonNode> body = new java.util.TreeMap<>();
    for (Map.Entry<String, JsonNode> property : schema.get("properties").properties()) {
      if (property.getValue().has("example")) {
        body.put(property.getKey(), property.getValue().get("example"));
      }
    }
    return JSON.writeValueAsString(body);
  }
}
