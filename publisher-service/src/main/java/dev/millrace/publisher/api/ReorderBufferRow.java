package dev.millrace.publisher.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.millrace.publisher.decoding.ReorderBufferView;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;

/** What a slot's ReorderBuffer holds now; sizes in bytes. */
@Schema(name = "ReorderBuffer")
record ReorderBufferRow(boolean active, long size, long limit, List<TransactionRow> transactions) {

  /** One ReorderBufferTXN; an LSN is null while unknown. */
  @Schema(name = "ReorderBufferTXN")
  record TransactionRow(
      @Schema(example = "840") long xid,
      @Schema(description = "of a transaction that is prepared and sent at its end") String gid,
      @JsonProperty("first_lsn") String firstLsn,
      @JsonProperty("final_lsn") String finalLsn,
      @JsonProperty("end_lsn") String endLsn,
      @JsonProperty("origin_id") int originId,
      @JsonProperty("origin_lsn") String originLsn,
      long changes,
      long size,
      boolean serialized,
      boolean streamed,
      List<Long> subtransactions) {}

  static ReorderBufferRow of(ReorderBufferView view) {
    return new ReorderBufferRow(
        view.active(),
        view.size(),
        view.limit(),
        view.transactions().stream().map(ReorderBufferRow::transaction).toList());
  }

  private static TransactionRow transaction(ReorderBufferView.TransactionView txn) {
    return new TransactionRow(
        Integer.toUnsignedLong(txn.xid()),
        txn.gid(),
        txn.firstLsn(),
        txn.finalLsn(),
        txn.endLsn(),
        txn.originId(),
        txn.originLsn(),
        txn.changes(),
        txn.size(),
        txn.serialized(),
        txn.streamed(),
        txn.subtransactions().stream().map(Integer::toUnsignedLong).toList());
  }
}
