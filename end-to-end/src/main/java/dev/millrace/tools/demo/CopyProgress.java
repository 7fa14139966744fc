package dev.millrace.tools.demo;

import dev.millrace.tools.MillraceApi;
import java.util.HashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Prints how far the copy of each table is, whenever something changed. */
final class CopyProgress {

  private final MillraceApi subscriber;
  private final String path;
  private final Map<String, String> printed = new HashMap<>();

  CopyProgress(MillraceApi subscriber, String subscription) {
    this.subscriber = subscriber;
    path = "/api/v1/subscriptions/" + MillraceApi.segment(subscription) + "/tables";
  }

  /** True once every table is ready. */
  boolean printAndAskDone() {
    boolean done = true;
    for (JsonNode table : subscriber.get(path)) {
      String name =
          table.path("schemaname").asString("") + "." + table.path("tablename").asString("");
      String state = table.get("srsubstate").asString();
      String line =
          "%-26s state %s  %s of %s rows, %s bytes"
              .formatted(
                  name,
                  state,
                  text(table, "rows_copied"),
                  text(table, "rows_total"),
                  text(table, "bytes_copied"));
      if (!line.equals(printed.put(name, line))) {
        Demo.say("%s", line);
      }
      done &= state.equals("r");
    }
    return done && !printed.isEmpty();
  }

  private static String text(JsonNode table, String field) {
    JsonNode node = table.get(field);
    return node == null || node.isNull() ? "?" : node.asString();
  }
}
