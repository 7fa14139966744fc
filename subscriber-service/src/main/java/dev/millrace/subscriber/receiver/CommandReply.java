package dev.millrace.subscriber.receiver;

import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The text frames a publisher answers commands with (api.md, "The replication WebSocket"). */
sealed interface CommandReply {

  record Rows(PublisherConnection.QueryResult result) implements CommandReply {}

  /** {@code mode} null for the end of a command, {@code both} or {@code out} for a copy's start. */
  record Command(String tag, String mode) implements CommandReply {}

  record Failed(PgException error) implements CommandReply {}

  record Noticed(Notice notice) implements CommandReply {}

  JsonMapper JSON = JsonMapper.builder().build();

  /**
   * @throws PgException 08P01 when the frame is none of these
   */
  static CommandReply parse(String text) {
    JsonNode frame;
    try {
      frame = JSON.readTree(text);
    } catch (JacksonException malformed) {
      throw CopyDataFraming.violation("the publisher's reply is not JSON");
    }
    if (frame.has("error")) {
      return new Failed(error(frame.get("error")));
    }
    if (frame.has("notice")) {
      JsonNode notice = frame.get("notice");
      return new Noticed(
          new Notice(
              text(notice, "severity", "NOTICE"),
              text(notice, "sqlstate", "00000"),
              text(notice, "message", ""),
              text(notice, "detail", null),
              text(notice, "hint", null)));
    }
    if (frame.has("columns")) {
      return new Rows(rows(frame));
    }
    if (frame.has("command")) {
      return new Command(text(frame, "command", ""), text(frame, "mode", null));
    }
    throw CopyDataFraming.violation("the publisher's reply is of an unknown kind");
  }

  private static PgException error(JsonNode error) {
    PgException exception =
        new PgException(
            text(error, "sqlstate", SqlState.INTERNAL_ERROR),
            text(error, "message", "unknown error"));
    if (text(error, "detail", null) != null) {
      exception = exception.withDetail(text(error, "detail", null));
    }
    if (text(error, "hint", null) != null) {
      exception = exception.withHint(text(error, "hint", null));
    }
    return exception;
  }

  private static PublisherConnection.QueryResult rows(JsonNode frame) {
    List<String> columns = new ArrayList<>();
    for (JsonNode column : frame.get("columns")) {
      columns.add(text(column, "name", ""));
    }
    List<List<Object>> rows = new ArrayList<>();
    if (frame.has("rows")) {
      for (JsonNode row : frame.get("rows")) {
        List<Object> values = new ArrayList<>();
        for (JsonNode value : row) {
          values.add(value(value));
        }
        rows.add(values);
      }
    }
    return new PublisherConnection.QueryResult(
        List.copyOf(columns), rows, text(frame, "command", "SELECT " + rows.size()));
  }

  private static Object value(JsonNode value) {
    if (value.isNull()) {
      return null;
    }
    if (value.isBoolean()) {
      return value.booleanValue();
    }
    if (value.isIntegralNumber()) {
      return value.longValue();
    }
    return value.isValueNode() ? value.asString() : value.toString();
  }

  private static String text(JsonNode node, String field, String absent) {
    JsonNode value = node.get(field);
    return value == null || value.isNull() ? absent : value.asString();
  }
}
