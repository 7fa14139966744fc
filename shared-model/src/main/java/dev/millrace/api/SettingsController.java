package dev.millrace.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.settings.SettingDefinition;
import dev.millrace.settings.Settings;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import java.util.Locale;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code /settings}: pg_settings. */
@RestController
@Tag(name = "settings", description = "pg_settings")
class SettingsController {

  private static final String EXAMPLE = "logical_decoding_work_mem";

  private final Settings settings;

  SettingsController(Settings settings) {
    this.settings = settings;
  }

  @GetMapping("/api/v1/settings")
  @Operation(operationId = "listSettings", summary = "All settings with the values in force")
  ResponseEntity<List<Row>> list(
      @RequestParam(required = false) @Parameter(description = "at most 1000") Integer limit,
      @RequestParam(required = false) @Parameter(description = "the last name seen") String after) {
    List<Row> rows = settings.definitions().stream().map(this::row).toList();
    return Paging.page(rows, Row::name, limit, after);
  }

  @GetMapping("/api/v1/settings/{name}")
  @Operation(operationId = "getSetting", summary = "One setting")
  Row get(@PathVariable @Parameter(example = EXAMPLE) String name) {
    return row(definition(name));
  }

  @PatchMapping("/api/v1/settings/{name}")
  @Operation(
      operationId = "changeSetting",
      summary = "Change a setting",
      description =
          "Takes PostgreSQL's units. The value survives a restart; a setting of context postmaster"
              + " is refused, since it needs one.")
  Row change(@PathVariable @Parameter(example = EXAMPLE) String name, @RequestBody Change change) {
    SettingDefinition definition = definition(name);
    if (change.setting() == null) {
      throw new BadRequestException("member \"setting\" is required");
    }
    settings.set(definition.name(), change.setting().toString());
    return row(definition);
  }

  private SettingDefinition definition(String name) {
    return settings.definitions().stream()
        .filter(definition -> definition.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(
            () ->
                new PgException(
                    SqlState.UNDEFINED_OBJECT,
                    "unrecognized configuration parameter \"" + name + "\""));
  }

  private Row row(SettingDefinition definition) {
    return new Row(
        definition.name(),
        Secrets.mask(settings.get(definition.name())),
        definition.unit(),
        definition.defaultValue(),
        definition.context().name().toLowerCase(Locale.ROOT),
        definition.type().name().toLowerCase(Locale.ROOT),
        definition.min() == null ? null : definition.min().toString(),
        definition.max() == null ? null : definition.max().toString(),
        definition.enumValues() == null || definition.enumValues().isEmpty()
            ? null
            : definition.enumValues(),
        definition.description());
  }

  /** A new value: text with PostgreSQL's units, a number or a boolean. */
  @Schema(name = "SettingChange")
  record Change(@Schema(type = "string", example = "64MB") Object setting) {}

  /** A row of pg_settings; {@code default} is its boot_val. */
  @Schema(name = "Setting")
  record Row(
      String name,
      String setting,
      String unit,
      @JsonProperty("default") String defaultValue,
      @Schema(allowableValues = {"internal", "postmaster", "sighup", "user"}) String context,
      String vartype,
      @JsonProperty("min_val") String minVal,
      @JsonProperty("max_val") String maxVal,
      List<String> enumvals,
      @JsonProperty("short_desc") String shortDesc) {}
}
