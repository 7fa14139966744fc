package dev.millrace.publisher.decoding;

/** What row filters say of a changed row, found at the gate and kept with the change. */
public enum RowVerdict {

  /** It is sent as what it is. */
  SEND,

  /** It is not sent. */
  DROP,

  /** An UPDATE whose old row was not published and whose new row is: over there it is new. */
  AS_INSERT,

  /** An UPDATE whose old row was published and whose new row is not: over there it ends. */
  AS_DELETE,

  /**
   * A filter failed on it; its transaction may still abort, so the error waits until it is sent.
   */
  OPEN;

  private static final RowVerdict[] ALL = values();

  /** The upper three bits of a kept change's flags hold the verdict; no log record uses them. */
  private static final int SHIFT = 5;

  private static final int FLAGS = (1 << SHIFT) - 1;

  int inFlags(int recordFlags) {
    return recordFlags & FLAGS | ordinal() << SHIFT;
  }

  static RowVerdict ofFlags(int flags) {
    return ALL[flags >>> SHIFT];
  }

  static int recordFlags(int flags) {
    return flags & FLAGS;
  }
}
