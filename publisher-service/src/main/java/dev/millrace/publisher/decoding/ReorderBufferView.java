package dev.millrace.publisher.decoding;

import java.util.List;

/** The live state of a ReorderBuffer as REST shows it; sizes in bytes. */
public record ReorderBufferView(
    boolean active, long size, long limit, List<TransactionView> transactions) {

  public static ReorderBufferView inactive(long limit) {
    return new ReorderBufferView(false, 0, limit, List.of());
  }

  /** One ReorderBufferTXN. LSNs are null while unknown. */
  public record TransactionView(
      int xid,
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
