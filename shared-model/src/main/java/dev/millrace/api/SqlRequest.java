package dev.millrace.api;

import io.swagger.v3.oas.annotations.media.ArraySchema;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;

/**
 * The body of an SQL call.
 *
 * @param sql one or several statements
 * @param parameters values of {@code $1..}, only with a single statement
 */
@Schema(
    description = "One or several statements, run as one simple query.",
    example = "{\"sql\":\"select 1 as one\"}")
public record SqlRequest(
    @Schema(requiredMode = Schema.RequiredMode.REQUIRED, example = "select 1 as one") String sql,
    @ArraySchema(
            arraySchema =
                @Schema(
                    description = "Values of $1.., only with a single statement.",
                    example = "[]"),
            schema = @Schema(description = "string, number, boolean or null"))
        List<Object> parameters) {

  public SqlRequest {
    if (sql == null) {
      throw new BadRequestException("member \"sql\" is required");
    }
    parameters = parameters == null ? List.of() : parameters;
  }
}
