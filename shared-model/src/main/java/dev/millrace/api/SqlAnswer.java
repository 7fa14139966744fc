package dev.millrace.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.millrace.model.Notice;
import dev.millrace.sql.ResultColumn;
import dev.millrace.sql.SqlResponse;
import dev.millrace.sql.StatementResult;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;

/**
 * The answer to an SQL call.
 *
 * @param transactionStatus I, T or E
 */
@Schema(description = "A result per statement, the notices raised, and where the session stands.")
public record SqlAnswer(
    List<Result> results,
    List<NoticeRow> notices,
    @JsonProperty("transaction_status") @Schema(allowableValues = {"I", "T", "E"})
        String transactionStatus) {

  static SqlAnswer of(SqlResponse response) {
    return new SqlAnswer(
        response.results().stream().map(Result::of).toList(),
        NoticeRow.of(response.notices()),
        String.valueOf(response.status().code()));
  }

  /** One statement's command tag and rows; columns and rows are absent where it returns none. */
  @Schema(name = "StatementResult")
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Result(
      @Schema(example = "SELECT 1") String command,
      List<Column> columns,
      @Schema(
              description =
                  "Values in PostgreSQL's text form, except numbers that JSON holds exactly,"
                      + " booleans and null.")
          List<List<Object>> rows) {

    static Result of(StatementResult result) {
      return new Result(
          result.command(),
          result.columns() == null ? null : result.columns().stream().map(Column::of).toList(),
          result.rows());
    }
  }

  /** A column's name and PostgreSQL's name of its type. */
  @Schema(name = "ResultColumn")
  public record Column(
      @Schema(example = "one") String name, @Schema(example = "int4") String type) {

    static Column of(ResultColumn column) {
      return new Column(column.name(), column.type());
    }
  }

  /** A NOTICE or WARNING. */
  @Schema(name = "Notice")
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record NoticeRow(
      @Schema(allowableValues = {"NOTICE", "WARNING"}) String severity,
      String sqlstate,
      String message,
      String detail,
      String hint) {

    /** The notices as answers show them. */
    public static List<NoticeRow> of(List<Notice> notices) {
      return notices.stream()
          .map(n -> new NoticeRow(n.severity(), n.sqlstate(), n.message(), n.detail(), n.hint()))
          .toList();
    }
  }
}
