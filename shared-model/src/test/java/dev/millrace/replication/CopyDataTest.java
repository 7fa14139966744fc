package dev.millrace.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.PgException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CopyDataTest {

  private final CopyDataReader reader = new CopyDataReader();

  @Test
  @DisplayName("A WebSocket message holds several CopyData messages, read back one by one")
  void severalMessages() {
    CopyDataWriter writer = new CopyDataWriter();
    writer.beginXLogData(0x1_2345L, 77).putByte('B').putInt(9);
    writer.end();
    writer.begin().putByte('x');
    writer.cancel();
    writer.add(new PrimaryKeepalive(0xFFFF_FFFF_0000_0001L, -5, true));
    writer.addCopyDone();
    byte[] message = writer.take();
    assertThat(writer.isEmpty()).isTrue();

    reader.wrap(message, 0, message.length);
    assertThat(reader.next()).isTrue();
    assertThat(reader.payloadLength()).isEqualTo(XLogData.HEADER_SIZE + 5);
    assertThat(ReplicationFrame.read(message, reader.payloadOffset(), reader.payloadLength()))
        .isEqualTo(new XLogData(0x1_2345L, 0x1_2345L, 77));
    assertThat(message[reader.payloadOffset() + XLogData.HEADER_SIZE]).isEqualTo((byte) 'B');
    assertThat(reader.next()).isTrue();
    assertThat(ReplicationFrame.read(message, reader.payloadOffset(), reader.payloadLength()))
        .isEqualTo(new PrimaryKeepalive(0xFFFF_FFFF_0000_0001L, -5, true));
    assertThat(reader.next()).isTrue();
    assertThat(reader.isCopyDone()).isTrue();
    assertThat(reader.next()).isFalse();
  }

  @Test
  @DisplayName("Status update and feedback have PostgreSQL's bytes")
  void fixtures() {
    assertBytes(
        new StandbyStatusUpdate(1, 2, 3, 4, true),
        "72000000000000000100000000000000020000000000000003000000000000000401");
    assertBytes(new PrimaryKeepalive(1, 2, false), "6b0000000000000001000000000000000200");
    assertBytes(
        new HotStandbyFeedback(1, 731, 0, 730, 1),
        "680000000000000001000002db00000000000002da00000001");
    assertThat(StandbyStatusUpdate.SIZE).isEqualTo(34);
    assertThat(PrimaryKeepalive.SIZE).isEqualTo(18);
  }

  private static void assertBytes(ReplicationFrame frame, String hex) {
    ByteBuilder out = new ByteBuilder(8);
    frame.write(out);
    byte[] bytes = Arrays.copyOf(out.array(), out.size());
    assertThat(HexFormat.of().formatHex(bytes)).isEqualTo(hex);
    assertThat(ReplicationFrame.read(bytes, 0, bytes.length)).isEqualTo(frame);
  }

  @Test
  @DisplayName("R2: lying lengths, unknown types and trailing bytes are refused with 08P01")
  void refused() {
    assertRefusedFrame("647fffffff00", "expected 4 to 5 in this frame, got 2147483647");
    assertRefusedFrame("64ffffffff00", "got 4294967295");
    assertRefusedFrame("6400000003", "got 3");
    assertRefusedFrame("6300000005aa", "expected 4, got 5");
    assertRefusedFrame("7a00000004", "unexpected message type 'z' while copying");
    assertRefusedFrame("640000", "\"length\" expected 4 bytes, got 2 bytes");
    assertRefusedPayload("72", "invalid standby status update message: field \"write_lsn\"");
    assertRefusedPayload("6b000000000000000100000000000000020000", "1 trailing bytes");
    assertRefusedPayload("6b0000000000000001000000000000000202", "unknown flags 2");
    assertRefusedPayload("01", "unexpected replication message type byte 1");
    assertRefusedPayload("", "\"tag\" expected 1 bytes, got 0 bytes");
  }

  @Test
  @DisplayName("R2: random bytes give only 08P01")
  void randomBytes() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 50_000; round++) {
      byte[] bytes = new byte[random.nextInt(40)];
      random.nextBytes(bytes);
      if (bytes.length > 5 && random.nextBoolean()) {
        bytes[0] = 'd';
        bytes[1] = bytes[2] = bytes[3] = 0;
        bytes[5] = (byte) "wkrh".charAt(random.nextInt(4));
      }
      try {
        reader.wrap(bytes, 0, bytes.length);
        while (reader.next()) {
          ReplicationFrame.read(bytes, reader.payloadOffset(), reader.payloadLength());
        }
      } catch (PgException e) {
        assertThat(e.sqlState()).isEqualTo("08P01");
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + HexFormat.of().formatHex(bytes), e);
      }
    }
  }

  private void assertRefusedFrame(String hex, String message) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    reader.wrap(bytes, 0, bytes.length);
    assertThatThrownBy(reader::next)
        .hasMessageContaining(message)
        .extracting(e -> ((PgException) e).sqlState())
        .isEqualTo("08P01");
  }

  private static void assertRefusedPayload(String hex, String message) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    assertThatThrownBy(() -> ReplicationFrame.read(bytes, 0, bytes.length))
        .hasMessageContaining(message)
        .extracting(e -> ((PgException) e).sqlState())
        .isEqualTo("08P01");
  }
}
