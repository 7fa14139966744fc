package dev.millrace.publisher.decoding;

import java.util.List;

/** The live state of a ReorderBuffer as REST shows it; sizes in bytes. */
public record ReorderBufferView(
    boolean active, long size, long limit, List<TransactionView> transactions) {

  public static ReorderBufferView inactive(long limit) {
    return new ReorderBufferView(false, 0, limit, List.of());
  }

  /**
   * One ReorderBufferTXN. LSNs are null while unknown.
   *
   * @param gid the identifier of one that is prepared and comes at its end, else null
   */
  public record TransactionView(
      int xid,
      String gid,
      String firstLsn,
      String finalLsn,
      String endLsn,
      int originId,
      String originLsn,
      long changes,
      long size,
      boolean serialized,
      boolean streamed,
      List<Integer> subtransactions) {}
}
