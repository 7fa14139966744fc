package dev.millrace.subscriber.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.millrace.model.Lsn;
import dev.millrace.subscriber.launcher.WorkerView;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;

/** A row of pg_stat_subscription, with PostgreSQL 18's columns, and the last error beside. */
@Schema(name = "Worker")
record WorkerBody(
    long subid,
    String subname,
    @JsonProperty("worker_type")
        @Schema(allowableValues = {"apply", "parallel apply", "table synchronization"})
        String workerType,
    Long pid,
    @JsonProperty("leader_pid") Long leaderPid,
    Long relid,
    @JsonProperty("received_lsn") @Schema(example = "0/16B1970") String receivedLsn,
    @JsonProperty("last_msg_send_time") Instant lastMsgSendTime,
    @JsonProperty("last_msg_receipt_time") Instant lastMsgReceiptTime,
    @JsonProperty("latest_end_lsn") String latestEndLsn,
    @JsonProperty("latest_end_time") Instant latestEndTime,
    @JsonProperty("last_error") String lastError) {

  static WorkerBody of(WorkerView view) {
    return new WorkerBody(
        Integer.toUnsignedLong(view.subscriptionOid()),
        view.subscriptionName(),
        view.workerType(),
        nonZero(view.pid()),
        nonZero(view.leaderPid()),
        nonZero(Integer.toUnsignedLong(view.relationOid())),
        lsn(view.receivedLsn()),
        Times.micros(view.lastMessageSendTime()),
        Times.micros(view.lastMessageReceiptTime()),
        lsn(view.latestEndLsn()),
        Times.micros(view.latestEndTime()),
        view.lastError());
  }

  private static Long nonZero(long value) {
    return value == 0 ? null : value;
  }

  private static String lsn(long value) {
    return value == 0 ? null : Lsn.format(value);
  }

  /** What lists are ordered by: one subscription's apply worker, then its tables. */
  String key() {
    return subname + ' ' + workerType + ' ' + (relid == null ? "" : relid);
  }

  Object[] values() {
    return new Object[] {
      subid,
      subname,
      workerType,
      pid == null ? null : pid.intValue(),
      leaderPid == null ? null : leaderPid.intValue(),
      relid,
      receivedLsn,
      Times.utc(lastMsgSendTime),
      Times.utc(lastMsgReceiptTime),
      latestEndLsn,
      Times.utc(latestEndTime)
    };
  }
}
