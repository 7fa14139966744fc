package dev.millrace.subscriber.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.millrace.api.Secrets;
import dev.millrace.model.Lsn;
import dev.millrace.model.Notice;
import dev.millrace.subscriber.catalog.Subscription;
import dev.millrace.subscriber.catalog.SubscriptionError;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;

/** A row of pg_subscription, with PostgreSQL 18's columns in their order; passwords are masked. */
@Schema(name = "Subscription")
record SubscriptionBody(
    long oid,
    long subdbid,
    @Schema(example = "0/0") String subskiplsn,
    @Schema(example = "mysub") String subname,
    long subowner,
    boolean subenabled,
    boolean subbinary,
    @Schema(allowableValues = {"f", "t", "p"}) String substream,
    @Schema(allowableValues = {"d", "p", "e"}) String subtwophasestate,
    boolean subdisableonerr,
    boolean subpasswordrequired,
    boolean subrunasowner,
    boolean subfailover,
    @Schema(example = "host=127.0.0.1 port=8080 dbname=testdb") String subconninfo,
    String subslotname,
    @Schema(example = "off") String subsynccommit,
    List<String> subpublications,
    @Schema(allowableValues = {"any", "none"}) String suborigin,
    @JsonInclude(JsonInclude.Include.NON_NULL)
        @JsonProperty("last_error")
        @Schema(description = "why disable_on_error has disabled it")
        LastError lastError,
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
        @JsonProperty("warnings")
        @Schema(description = "what a create call warned of")
        List<Notice> warnings) {

  static SubscriptionBody of(
      Subscription row, int databaseOid, SubscriptionError error, List<Notice> notices) {
    return new SubscriptionBody(
        Integer.toUnsignedLong(row.oid()),
        Integer.toUnsignedLong(databaseOid),
        Lsn.format(row.skipLsn()),
        row.name(),
        Integer.toUnsignedLong(row.owner()),
        row.enabled(),
        row.binary(),
        String.valueOf(row.streaming()),
        String.valueOf(row.twoPhaseState()),
        row.disableOnError(),
        row.passwordRequired(),
        row.runAsOwner(),
        row.failover(),
        Secrets.mask(row.connection()),
        row.slotName(),
        row.synchronousCommit(),
        row.publications(),
        row.origin(),
        LastError.of(error),
        notices);
  }

  /** An error, its time and the finish LSN of its transaction, which skip takes. */
  @Schema(name = "SubscriptionError")
  record LastError(
      String message,
      Instant time,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Schema(example = "0/16B1970") String lsn) {

    static LastError of(SubscriptionError error) {
      return error == null
          ? null
          : new LastError(
              error.message(),
              Times.micros(error.time()),
              error.lsn() == 0 ? null : Lsn.format(error.lsn()));
    }
  }

  /** The values of the view, booleans and all, as JDBC takes them. */
  Object[] values() {
    return new Object[] {
      oid,
      subdbid,
      subskiplsn,
      subname,
      subowner,
      subenabled,
      subbinary,
      substream,
      subtwophasestate,
      subdisableonerr,
      subpasswordrequired,
      subrunasowner,
      subfailover,
      subconninfo,
      subslotname,
      subsynccommit,
      textArray(subpublications),
      suborigin
    };
  }

  /** PostgreSQL's text form of an array of text. */
  static String textArray(List<String> values) {
    StringBuilder text = new StringBuilder("{");
    for (String value : values) {
      if (text.length() > 1) {
        text.append(',');
      }
      boolean plain = value.matches("[^\\s{}\",\\\\]+") && !value.equalsIgnoreCase("null");
      text.append(plain ? value : '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"');
    }
    return text.append('}').toString();
  }
}
