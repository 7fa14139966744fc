package dev.millrace.subscriber.receiver;

import java.net.http.HttpResponse;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a server meant that answered the request for a WebSocket in another way. */
final class HandshakeAnswer {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int GREATEST_REASON = 500;

  private HandshakeAnswer() {}

  static String reason(HttpResponse<?> answer) {
    int status = answer.statusCode();
    String said = detail(answer.body());
    return switch (status) {
      case 401, 403 -> "authentication failed" + (said == null ? "" : ": " + said);
      case 404 -> said != null ? said : "there is no replication endpoint at this address";
      default ->
          said != null
              ? said + " (HTTP status " + status + ")"
              : "the server is no Millrace publisher, it answered with HTTP status " + status;
    };
  }

  /** The message of a problem document; null for anything else. */
  private static String detail(Object body) {
    if (!(body instanceof String text) || text.isBlank()) {
      return null;
    }
    try {
      JsonNode problem = JSON.readTree(text);
      JsonNode detail = problem == null ? null : problem.get("detail");
      if (detail == null || !detail.isString() || !problem.has("status")) {
        return null;
      }
      String said = detail.asString();
      return said.length() > GREATEST_REASON ? said.substring(0, GREATEST_REASON) + ".." : said;
    } catch (JacksonException notJson) {
      return null;
    }
  }
}
