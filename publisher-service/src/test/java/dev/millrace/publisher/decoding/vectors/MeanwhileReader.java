package dev.millrace.publisher.decoding.vectors;

import dev.millrace.model.ByteBuilder;
import dev.millrace.publisher.PublisherUnderTest;
import dev.millrace.publisher.decoding.LogicalDecoding;
import dev.millrace.publisher.decoding.LogicalDecoding.DecodingSession;
import dev.millrace.publisher.decoding.LogicalDecoding.DecodingSettings;
import dev.millrace.publisher.decoding.OutputWriter;
import dev.millrace.publisher.slots.ReplicationSlots;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Decodes a slot as a walsender would: as soon as something is in the log. */
final class MeanwhileReader implements OutputWriter, AutoCloseable {

  private final ByteBuilder message = new ByteBuilder(256);
  private final List<byte[]> messages = new ArrayList<>();
  private DecodingSession session;

  private MeanwhileReader() {}

  static MeanwhileReader start(PublisherUnderTest publisher, String slot, VectorScenario.Run run) {
    MeanwhileReader reader = new MeanwhileReader();
    reader.session =
        publisher
            .bean(LogicalDecoding.class)
            .start(
                publisher.bean(ReplicationSlots.class).find(slot),
                0,
                run.options(),
                reader,
                new DecodingSettings(run.settings().workMem(), run.settings().immediately(), true));
    return reader;
  }

  void read() {
    boolean more = true;
    while (more) {
      more = session.step();
    }
  }

  List<byte[]> messages() {
    return messages;
  }

  @Override
  public ByteBuilder prepare(long lsn, int xid) {
    message.truncate(0);
    return message;
  }

  @Override
  public void write() {
    messages.add(Arrays.copyOf(message.array(), message.size()));
  }

  @Override
  public void progress(long lsn) {}

  @Override
  public void close() {
    session.close();
  }
}
