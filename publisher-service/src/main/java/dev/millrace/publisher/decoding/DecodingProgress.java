package dev.millrace.publisher.decoding;

/** Lets keepalives and replies through now and then while a large transaction is sent. */
final class DecodingProgress {

  private static final int CHANGES_PER_CALL = 100;

  private final OutputWriter writer;
  private int changes;

  DecodingProgress(OutputWriter writer) {
    this.writer = writer;
  }

  /** A change has been handed to the plugin. */
  void sent(long lsn) {
    if (++changes >= CHANGES_PER_CALL) {
      changes = 0;
      writer.progress(lsn);
    }
  }
}
