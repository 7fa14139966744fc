package dev.millrace.subscriber.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import dev.millrace.subscriber.RunningSubscriber;
import dev.millrace.subscriber.RunningSubscriber.Answer;
import dev.millrace.subscriber.fake.ScriptedPublisher;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The OpenAPI document checked in is the one the service serves, and what Swagger UI fills in when
 * a call is tried out works. After a change of the interface, {@code
 * -Dmillrace.openapi.rewrite=true} writes the file anew.
 */
class OpenApiDocumentTest {

  private static final Path CHECKED_IN = Path.of("..", "openapi", "subscriber.yaml");
  private static final JsonMapper JSON = JsonMapper.builder().build();

  @TempDir static Path dataDirectory;
  private static RunningSubscriber subscriber;

  @BeforeAll
  static void start() {
    subscriber = new RunningSubscriber(dataDirectory);
  }

  @AfterAll
  static void stop() {
    subscriber.close();
  }

  @Test
  @DisplayName("openapi/subscriber.yaml equals /v3/api-docs.yaml")
  void equal() throws Exception {
    MockMvc mvc = MockMvcBuilders.webAppContextSetup(subscriber.webContext()).build();
    String served =
        mvc.perform(get("/v3/api-docs.yaml"))
            .andReturn()
            .getResponse()
            .getContentAsString(StandardCharsets.UTF_8);
    if (Boolean.getBoolean("millrace.openapi.rewrite")) {
      Files.createDirectories(CHECKED_IN.getParent());
      Files.writeString(CHECKED_IN, served);
    }
    assertThat(served).isEqualTo(Files.readString(CHECKED_IN));
  }

  private record Call(String method, String path, String body) {
    /** What is made must be there before it is looked at, and is dropped last. */
    int rank() {
      if (method.equals("DELETE")) {
        return 2;
      }
      return method.equals("POST") && path.equals("/api/v1/subscriptions") ? 0 : 1;
    }
  }

  @Test
  @DisplayName("every call's example runs while a publisher with the publication is there")
  void examples() throws Exception {
    try (ScriptedPublisher publisher = new ScriptedPublisher()) {
      publisher.publish("mypub", "tbl_1");
      subscriber.sql("create table tbl_1 (id int primary key, name text)");
      List<Call> calls = calls(subscriber.get("/v3/api-docs").body());
      assertThat(calls).hasSizeGreaterThan(15);
      calls.sort(Comparator.comparingInt(Call::rank));
      for (Call call : calls) {
        // The publisher of this test has another port than the default one.
        String body =
            call.body == null ? null : call.body.replace("port=8080", "port=" + publisher.port());
        Answer answer = subscriber.call(call.method, call.path, body);
        assertThat(answer.status()).as(call + " -> " + answer.body()).isBetween(200, 299);
      }
    }
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
    Map<String, JsonNode> body = new TreeMap<>();
    for (Map.Entry<String, JsonNode> property : schema.get("properties").properties()) {
      if (property.getValue().has("example")) {
        body.put(property.getKey(), property.getValue().get("example"));
      }
    }
    return JSON.writeValueAsString(body);
  }
}
