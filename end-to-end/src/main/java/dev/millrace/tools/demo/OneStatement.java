package dev.millrace.tools.demo;

import dev.millrace.tools.MillraceApi;
import dev.millrace.tools.Replication;
import dev.millrace.tools.TwoServices;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * Follows one SQL statement: the statement, the pgoutput messages it becomes, the row at the
 * subscriber.
 */
final class OneStatement {

  private static final Map<Character, String> NAMES =
      Map.of(
          'B',
          "Begin",
          'C',
          "Commit",
          'R',
          "Relation",
          'I',
          "Insert",
          'U',
          "Update",
          'D',
          "Delete");

  private final TwoServices services;

  OneStatement(TwoServices services) {
    this.services = services;
  }

  void show() {
    Demo.step("One SQL statement, its messages, its row");
    MillraceApi publisher = services.publisher();
    publisher.post("/api/v1/slots", Map.of("slot_name", "demo_peek", "plugin", "pgoutput"));
    Demo.run(publisher, "publisher", "INSERT INTO tbl_1 VALUES (42, 'Marvin', 7)");
    JsonNode answer =
        publisher.post(
            "/api/v1/slots/demo_peek/peek-changes",
            Map.of(
                "binary",
                true,
                "options",
                Map.of("proto_version", "1", "publication_names", "mypub")));
    for (JsonNode change : answer.get("changes")) {
      String hex = change.get("data").asString();
      byte[] message = HexFormat.of().parseHex(hex);
      char tag = (char) message[0];
      Demo.say(
          "%s xid %s  %c %-8s %s",
          change.get("lsn").asString(),
          change.get("xid").asString(),
          tag,
          NAMES.getOrDefault(tag, ""),
          hex);
      Demo.say("%-26s %s", "", readable(message));
    }
    publisher.delete("/api/v1/slots/demo_peek");
    Replication.awaitCaughtUp(publisher, "mysub", 60_000);
    Demo.say(
        "subscriber=# SELECT * FROM tbl_1 WHERE id = 42   ->   %s",
        services.subscriber().rows("SELECT * FROM tbl_1 WHERE id = 42"));
  }

  /** The bytes as od -c would show them, printable characters as they are. */
  private static String readable(byte[] message) {
    StringBuilder text = new StringBuilder();
    for (char c : new String(message, StandardCharsets.ISO_8859_1).toCharArray()) {
      text.append(c >= ' ' && c < 127 ? c : '.');
    }
    return text.toString();
  }
}
