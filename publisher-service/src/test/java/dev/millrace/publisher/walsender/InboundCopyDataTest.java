package dev.millrace.publisher.walsender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.ByteBuilder;
import dev.millrace.publisher.walsender.InboundCopyData.FramingException;
import dev.millrace.replication.CopyDataWriter;
import dev.millrace.replication.HotStandbyFeedback;
import dev.millrace.replication.PrimaryKeepalive;
import dev.millrace.replication.StandbyStatusUpdate;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a peer may and may not send while copying (R2). */
class InboundCopyDataTest implements InboundCopyData.Receiver {

  private final List<Object> received = new ArrayList<>();
  private final InboundCopyData inbound = new InboundCopyData(this);

  @Override
  public void statusUpdate(StandbyStatusUpdate update) {
    received.add(update);
  }

  @Override
  public void copyDone() {
    received.add("done");
  }

  private void message(byte[] bytes) throws FramingException {
    inbound.part(ByteBuffer.wrap(bytes));
    inbound.endOfMessage();
  }

  private static byte[] framed(Object... numbers) {
    ByteBuilder out = new ByteBuilder(64);
    for (Object number : numbers) {
      if (number instanceof Character c) {
        out.putByte(c);
      } else {
        out.putInt((Integer) number);
      }
    }
    return java.util.Arrays.copyOf(out.array(), out.size());
  }

  @Test
  @DisplayName("status updates, hot standby feedback and CopyDone are read wherever a frame is cut")
  void anyCut() throws FramingException {
    long seed = System.nanoTime();
    System.out.println("InboundCopyDataTest.anyCut seed " + seed);
    Random random = new Random(seed);
    List<Object> sent = new ArrayList<>();
    CopyDataWriter writer = new CopyDataWriter();
    for (int i = 0; i < 200; i++) {
      StandbyStatusUpdate update =
          new StandbyStatusUpdate(
              random.nextLong(), random.nextLong(), random.nextLong(), i, random.nextBoolean());
      writer.add(update);
      sent.add(update);
      if (random.nextInt(3) == 0) {
        writer.add(new HotStandbyFeedback(i, 1, 2, 3, 4));
      }
    }
    writer.addCopyDone();
    sent.add("done");
    byte[] bytes = writer.take();
    int at = 0;
    while (at < bytes.length) {
      int length = Math.min(bytes.length - at, random.nextInt(90));
      inbound.part(ByteBuffer.wrap(bytes, at, length));
      at += length;
    }
    inbound.endOfMessage();
    assertThat(received).isEqualTo(sent);
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MAX_VALUE, Integer.MIN_VALUE, -1, 0, 3, 4, 39, 64 * 1024})
  @DisplayName("a lying length is refused as soon as it is read")
  void lyingLength(int length) {
    assertThatThrownBy(() -> message(framed('d', length, 'r')))
        .isInstanceOf(FramingException.class);
    assertThat(received).isEmpty();
  }

  @Test
  @DisplayName("unknown types, a publisher's own messages and cut messages are refused")
  void unknown() {
    assertThatThrownBy(() -> message(framed('x', 4))).isInstanceOf(FramingException.class);
    assertThatThrownBy(() -> message(framed('f', 4))).isInstanceOf(FramingException.class);
    assertThatThrownBy(() -> fresh(framed('d', 5, 'q'))).isInstanceOf(FramingException.class);
    assertThatThrownBy(() -> fresh(framed('d', 9, 'r', 1))).isInstanceOf(FramingException.class);
    assertThatThrownBy(() -> fresh(framed('c', 5))).isInstanceOf(FramingException.class);
    assertThatThrownBy(() -> fresh(framed('d'))).isInstanceOf(FramingException.class);
    CopyDataWriter writer = new CopyDataWriter();
    writer.add(new PrimaryKeepalive(1, 2, false));
    assertThatThrownBy(() -> fresh(writer.take())).isInstanceOf(FramingException.class);
    assertThat(received).isEmpty();
  }

  private void fresh(byte[] bytes) throws FramingException {
    InboundCopyData other = new InboundCopyData(this);
    other.part(ByteBuffer.wrap(bytes));
    other.endOfMessage();
  }
}
