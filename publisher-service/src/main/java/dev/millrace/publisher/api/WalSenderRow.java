package dev.millrace.publisher.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.millrace.publisher.walsender.PeerProgress;
import dev.millrace.publisher.walsender.WalSenderView;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Locale;

/** A row of pg_stat_replication, with PostgreSQL 18's columns in their order. */
@Schema(name = "WalSender")
record WalSenderRow(
    long pid,
    Long usesysid,
    String usename,
    @JsonProperty("application_name") @Schema(example = "mysub") String applicationName,
    @JsonProperty("client_addr") @Schema(example = "127.0.0.1") String clientAddr,
    @JsonProperty("client_hostname") String clientHostname,
    @JsonProperty("client_port") Integer clientPort,
    @JsonProperty("backend_start") Instant backendStart,
    @JsonProperty("backend_xmin") Long backendXmin,
    @Schema(allowableValues = {"startup", "catchup", "streaming", "backup", "stopping"})
        String state,
    @JsonProperty("sent_lsn") @Schema(example = "0/16B1970") String sentLsn,
    @JsonProperty("write_lsn") String writeLsn,
    @JsonProperty("flush_lsn") String flushLsn,
    @JsonProperty("replay_lsn") String replayLsn,
    @JsonProperty("write_lag") @Schema(example = "00:00:00.000812") String writeLag,
    @JsonProperty("flush_lag") String flushLag,
    @JsonProperty("replay_lag") String replayLag,
    @JsonProperty("sync_priority") int syncPriority,
    @JsonProperty("sync_state") @Schema(example = "async") String syncState,
    @JsonProperty("reply_time") Instant replyTime) {

  static WalSenderRow of(WalSenderView view) {
    PeerProgress progress = view.progress();
    return new WalSenderRow(
        view.pid(),
        null,
        null,
        view.applicationName(),
        view.address(),
        null,
        view.port() < 0 ? null : view.port(),
        SlotRows.micros(view.backendStart()),
        null,
        view.state(),
        SlotRows.lsn(progress.sentLsn()),
        SlotRows.lsn(progress.writeLsn()),
        SlotRows.lsn(progress.flushLsn()),
        SlotRows.lsn(progress.applyLsn()),
        interval(progress.writeLag()),
        interval(progress.flushLag()),
        interval(progress.applyLag()),
        0,
        "async",
        SlotRows.micros(progress.replyTime()));
  }

  /** PostgreSQL's text form of an interval without days. */
  static String interval(Duration lag) {
    if (lag == null) {
      return null;
    }
    String whole =
        String.format(
            Locale.ROOT, "%02d:%02d:%02d", lag.toHours(), lag.toMinutesPart(), lag.toSecondsPart());
    int micros = lag.toNanosPart() / 1000;
    return micros == 0
        ? whole
        : whole + String.format(Locale.ROOT, ".%06d", micros).replaceFirst("0+$", "");
  }

  Object[] values() {
    return new Object[] {
      (int) pid,
      usesysid,
      usename,
      applicationName,
      clientAddr,
      clientHostname,
      clientPort,
      backendStart == null ? null : backendStart.atOffset(ZoneOffset.UTC),
      backendXmin,
      state,
      sentLsn,
      writeLsn,
      flushLsn,
      replayLsn,
      writeLag,
      flushLag,
      replayLag,
      syncPriority,
      syncState,
      replyTime == null ? null : replyTime.atOffset(ZoneOffset.UTC)
    };
  }
}
