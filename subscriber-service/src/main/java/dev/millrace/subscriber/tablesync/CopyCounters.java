package dev.millrace.subscriber.tablesync;

/** How far a copy is. Written by its worker, read by anyone. */
public final class CopyCounters {

  private volatile long rows;
  private volatile long bytes;
  private volatile long total = -1;

  void total(long rowsTotal) {
    total = rowsTotal;
  }

  /** One writer: the increment needs no more than visibility. */
  void copied(long rowsSoFar, long bytesMore) {
    rows = rowsSoFar;
    bytes = bytes + bytesMore;
  }

  public long rows() {
    return rows;
  }

  public long bytes() {
    return bytes;
  }

  /** -1 while unknown. */
  public long total() {
    return total;
  }
}
