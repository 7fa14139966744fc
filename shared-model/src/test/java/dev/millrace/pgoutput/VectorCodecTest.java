package dev.millrace.pgoutput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.PgException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class VectorCodecTest {

  private final JsonMapper mapper = JsonMapper.builder().build();

  private interface MessageVisitor {
    void message(
        String about, boolean parallel, PgOutputReader reader, byte[] bytes, JsonNode captured);
  }

  private void forEachMessage(MessageVisitor visitor) throws IOException {
    for (Map.Entry<String, JsonNode> scenario : Vectors.all().entrySet()) {
      for (JsonNode run : scenario.getValue().path("runs")) {
        if (run.has("client_encoding")) {
          continue; // Captured in LATIN1; ours is always UTF-8.
        }
        String streaming = run.path("options").path("streaming").asString("off");
        boolean parallel = streaming.equals("parallel");
        PgOutputReader reader = new PgOutputReader(parallel);
        int number = 0;
        for (JsonNode message : run.path("messages")) {
          String about = scenario.getKey() + " " + run.path("options") + " message " + number++;
          byte[] bytes = HexFormat.of().parseHex(message.path("hex").asString());
          visitor.message(about, parallel, reader, bytes, message);
        }
      }
    }
  }

  @Test
  @DisplayName("O2: every captured message decodes to what the capture says and encodes back")
  void decodesAndEncodes() throws IOException {
    Set<MessageType> seen = EnumSet.noneOf(MessageType.class);
    int[] count = {0};
    forEachMessage(
        (about, parallel, reader, bytes, captured) -> {
          byte[] framed = new byte[bytes.length + 7];
          System.arraycopy(bytes, 0, framed, 5, bytes.length);
          PgOutputMessage message = reader.read(framed, 5, bytes.length);
          JsonNode shown = mapper.valueToTree(MessageJson.of(message));
          assertThat(mapper.readTree(shown.toString()))
              .as(about)
              .isEqualTo(captured.path("decoded"));
          assertThat(encode(message)).as(about).isEqualTo(bytes);
          seen.add(message.type());
          count[0]++;
        });
    assertThat(seen).containsExactlyInAnyOrder(MessageType.values());
    assertThat(count[0]).isGreaterThan(9_000);
  }

  @Test
  @DisplayName("R2: a message cut short or with trailing bytes is refused with 08P01")
  void wrongLengthsAreRefused() throws IOException {
    forEachMessage(
        (about, parallel, reader, bytes, captured) -> {
          if (bytes.length > 400) {
            reader.read(bytes, 0, bytes.length);
            return;
          }
          boolean inStream = captured.path("decoded").has("stream_xid");
          for (int length = 0; length < bytes.length; length++) {
            assertRefused(about, readerIn(parallel, inStream), bytes, length);
          }
          byte[] longer = java.util.Arrays.copyOf(bytes, bytes.length + 1);
          assertRefused(about, readerIn(parallel, inStream), longer, longer.length);
          reader.read(bytes, 0, bytes.length);
        });
  }

  /** A reader inside or outside a stream block that may be thrown away. */
  private static PgOutputReader readerIn(boolean parallel, boolean inStream) {
    PgOutputReader reader = new PgOutputReader(parallel);
    if (inStream) {
      byte[] start = encode(new StreamStart(7, true));
      reader.read(start, 0, start.length);
    }
    return reader;
  }

  private static void assertRefused(String about, PgOutputReader reader, byte[] bytes, int length) {
    try {
      reader.read(bytes, 0, length);
      fail(about + " was accepted with length " + length);
    } catch (PgException e) {
      assertThat(e.sqlState()).as(about).isEqualTo("08P01");
    }
  }

  @Test
  @DisplayName("R2: random damage gives either a message that encodes back to it, or 08P01")
  void damageNeverBreaks() throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<byte[]> samples = new ArrayList<>();
    forEachMessage(
        (about, parallel, reader, bytes, captured) -> {
          if (bytes.length < 300 && !captured.path("decoded").has("stream_xid")) {
            samples.add(bytes);
          }
        });
    for (int round = 0; round < 60_000; round++) {
      byte[] damaged = damage(samples.get(random.nextInt(samples.size())).clone(), random);
      String about = "seed " + seed + ": " + HexFormat.of().formatHex(damaged);
      try {
        PgOutputReader reader = new PgOutputReader(random.nextBoolean());
        PgOutputMessage message = reader.read(damaged, 0, damaged.length);
        assertThat(encode(message)).as(about).isEqualTo(damaged);
      } catch (PgException e) {
        assertThat(e.sqlState()).as(about).isEqualTo("08P01");
      } catch (RuntimeException | Error e) {
        throw new AssertionError(about, e);
      }
    }
  }

  private static byte[] damage(byte[] bytes, Random random) {
    for (int n = random.nextInt(4); n >= 0; n--) {
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(4)) {
        case 0 -> bytes[at] = (byte) random.nextInt();
        case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 2 -> bytes[at] = (byte) 0xFF;
        default -> bytes = java.util.Arrays.copyOf(bytes, Math.max(1, at));
      }
    }
    return bytes;
  }

  private static byte[] encode(PgOutputMessage message) {
    ByteBuilder out = new ByteBuilder(16);
    message.write(out);
    return java.util.Arrays.copyOf(out.array(), out.size());
  }
}
