package dev.millrace.e2e;

import dev.millrace.tools.MillraceApi;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * Reads a pgoutput slot over REST and writes its row messages as short text: {@code U K(1,null)
 * N(2,y)}.
 */
final class Changes {

  private final ByteBuffer in;

  private Changes(byte[] message) {
    in = ByteBuffer.wrap(message);
  }

  /** Consumes; B, C, R and Y are left out. */
  static List<String> get(MillraceApi publisher, String slot, String publication) {
    return read(publisher, slot, publication, "get-changes").stream()
        .filter(text -> "IUDT".indexOf(text.charAt(0)) >= 0)
        .toList();
  }

  /** All messages; {@code call} is get-changes or peek-changes. */
  static List<String> read(MillraceApi publisher, String slot, String publication, String call) {
    JsonNode answer =
        publisher.post(
            "/api/v1/slots/" + slot + "/" + call,
            Map.of(
                "binary",
                true,
                "options",
                Map.of("proto_version", "1", "publication_names", publication)));
    List<String> texts = new ArrayList<>();
    for (JsonNode change : answer.get("changes")) {
      texts.add(new Changes(HexFormat.of().parseHex(change.get("data").asString())).text());
    }
    return texts;
  }

  private String text() {
    char tag = (char) in.get();
    if (tag == 'T') {
      return "T " + in.getInt() + " tables, flags " + in.get();
    }
    if ("IUD".indexOf(tag) < 0) {
      return String.valueOf(tag);
    }
    in.getInt();
    StringBuilder text = new StringBuilder().append(tag);
    while (in.hasRemaining()) {
      text.append(' ').append((char) in.get()).append(tuple());
    }
    return text.toString();
  }

  private String tuple() {
    List<String> values = new ArrayList<>();
    int columns = in.getShort();
    for (int i = 0; i < columns; i++) {
      char kind = (char) in.get();
      switch (kind) {
        case 'n' -> values.add("null");
        case 'u' -> values.add("unchanged");
        default -> {
          byte[] value = new byte[in.getInt()];
          in.get(value);
          values.add(new String(value, StandardCharsets.UTF_8));
        }
      }
    }
    return "(" + String.join(",", values) + ")";
  }
}
