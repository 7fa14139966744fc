package dev.millrace.publisher.wal;

import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * A node's log together with its control file: opened where the control file says, and closed by
 * telling the control file how far it reaches.
 */
final class NodeLog implements AutoCloseable {

  private final ControlFile control;
  private final SegmentedLog log;

  private NodeLog(ControlFile control, SegmentedLog log) {
    this.control = control;
    this.log = log;
  }

  /** The segment size is the control file's, whatever the settings say by now. */
  static NodeLog open(
      Path dataDirectory, ControlFile control, WalOptions options, Consumer<Throwable> onFailure) {
    ControlState state = control.state();
    SegmentedLog log =
        SegmentedLog.open(
            dataDirectory.resolve("pg_wal"),
            options.withSegmentSize(state.segmentSize()),
            state.redoLsn(),
            state.flushedLsn(),
            onFailure);
    return new NodeLog(control, log);
  }

  SegmentedLog log() {
    return log;
  }

  @Override
  public void close() {
    log.close();
    if (log.failure() == null) {
      control.update(state -> state.withFlushed(log.flushLsn()));
      control.releaseBlocks();
    }
  }
}
