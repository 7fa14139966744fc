package dev.millrace.replication;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.Lsn;
import dev.millrace.pgoutput.PgOutputReader;
import dev.millrace.pgoutput.Vectors;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class CapturedFramesTest {

  private final CopyDataReader reader = new CopyDataReader();
  private final PgOutputReader messages = new PgOutputReader(false);

  @Test
  @DisplayName("T1: the copy frames of a whole captured conversation decode and encode back")
  void conversations() throws IOException {
    int[] count = new int[1];
    for (String name : new String[] {"18-replication-frames", "18-replication-resume"}) {
      for (JsonNode frame : Vectors.all().get(name + ".json").path("frames")) {
        JsonNode decoded = frame.path("decoded");
        if (decoded.path("name").asString().matches("CopyData/.*|CopyDone")) {
          check(HexFormat.of().parseHex(frame.path("hex").asString()), decoded);
          count[0]++;
        }
      }
    }
    assertThat(count[0]).isGreaterThan(30);
  }

  private void check(byte[] bytes, JsonNode decoded) {
    CopyDataWriter writer = new CopyDataWriter();
    assertThat(reader.wrap(bytes, 0, bytes.length).next()).isTrue();
    if (reader.isCopyDone()) {
      assertThat(decoded.path("name").asString()).isEqualTo("CopyDone");
      writer.addCopyDone();
    } else {
      int offset = reader.payloadOffset();
      ReplicationFrame frame = ReplicationFrame.read(bytes, offset, reader.payloadLength());
      assertFields(frame, decoded);
      ByteBuilder out = writer.begin();
      frame.write(out);
      if (frame instanceof XLogData) {
        int length = reader.payloadLength() - XLogData.HEADER_SIZE;
        messages.read(bytes, offset + XLogData.HEADER_SIZE, length).write(out);
      }
      writer.end();
    }
    assertThat(reader.next()).isFalse();
    assertThat(Arrays.copyOf(writer.array(), writer.size())).isEqualTo(bytes);
  }

  private static void assertFields(ReplicationFrame frame, JsonNode decoded) {
    String name = decoded.path("name").asString();
    long time = decoded.path("send_time_us").asLong();
    if (frame instanceof XLogData data) {
      assertThat(name).isEqualTo("CopyData/XLogData");
      assertThat(Lsn.format(data.startLsn())).isEqualTo(decoded.path("data_start").asString());
      assertThat(Lsn.format(data.endLsn())).isEqualTo(decoded.path("wal_end").asString());
      assertThat(data.sendTime()).isEqualTo(time);
    } else if (frame instanceof PrimaryKeepalive keepalive) {
      assertThat(name).isEqualTo("CopyData/PrimaryKeepalive");
      assertThat(Lsn.format(keepalive.endLsn())).isEqualTo(decoded.path("wal_end").asString());
      assertThat(keepalive.sendTime()).isEqualTo(time);
      assertThat(keepalive.replyRequested())
          .isEqualTo(decoded.path("reply_requested").asInt() == 1);
    } else {
      StandbyStatusUpdate update = (StandbyStatusUpdate) frame;
      assertThat(name).isEqualTo("CopyData/StandbyStatusUpdate");
      assertThat(Lsn.format(update.writeLsn())).isEqualTo(decoded.path("write").asString());
      assertThat(Lsn.format(update.flushLsn())).isEqualTo(decoded.path("flush").asString());
      assertThat(Lsn.format(update.applyLsn())).isEqualTo(decoded.path("apply").asString());
      assertThat(update.replyRequested()).isEqualTo(decoded.path("reply_requested").asInt() == 1);
    }
  }
}
