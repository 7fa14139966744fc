package dev.millrace.publisher.walsender;

import dev.millrace.publisher.decoding.LogicalDecoding.DecodingSession;
import dev.millrace.publisher.decoding.OutputPlugin;
import dev.millrace.publisher.decoding.OutputWriter;
import dev.millrace.publisher.decoding.ReorderBufferView;
import java.util.ArrayDeque;

/** A decoding session whose records are given by the test. */
final class ScriptedDecoding implements DecodingSession {

  private record Step(long endLsn, Runnable output) {}

  private final OutputWriter writer;
  private final ArrayDeque<Step> steps = new ArrayDeque<>();
  private long processedLsn;
  boolean closed;

  ScriptedDecoding(OutputWriter writer, long startLsn) {
    this.writer = writer;
    this.processedLsn = startLsn;
  }

  /** A record that ends at that position and sends nothing. */
  ScriptedDecoding record(long endLsn) {
    steps.add(new Step(endLsn, () -> {}));
    return this;
  }

  /** A commit that sends these messages, each at its position. */
  ScriptedDecoding commit(long endLsn, Object... lsnsAndTexts) {
    steps.add(
        new Step(
            endLsn,
            () -> {
              for (int i = 0; i < lsnsAndTexts.length; i += 2) {
                message(((Number) lsnsAndTexts[i]).longValue(), (String) lsnsAndTexts[i + 1]);
              }
            }));
    return this;
  }

  /** A commit that does something of the test's own. */
  ScriptedDecoding commit(long endLsn, Runnable output) {
    steps.add(new Step(endLsn, output));
    return this;
  }

  void message(long lsn, String text) {
    writer.prepare(lsn, 731).putUtf8(text);
    writer.write();
  }

  @Override
  public boolean step() {
    Step step = steps.poll();
    if (step == null) {
      return false;
    }
    step.output.run();
    processedLsn = step.endLsn;
    return true;
  }

  @Override
  public OutputPlugin.OutputKind outputKind() {
    return OutputPlugin.OutputKind.BINARY;
  }

  @Override
  public long processedLsn() {
    return processedLsn;
  }

  @Override
  public ReorderBufferView view() {
    return ReorderBufferView.inactive(0);
  }

  @Override
  public void close() {
    closed = true;
  }
}
