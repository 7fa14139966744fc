package dev.millrace.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code /status}: one page for people. */
@RestController
@Tag(name = "status", description = "One page for people")
class StatusController {

  private final NodeStatus node;
  private final List<StatusContributor> contributors;
  private final Clock clock;
  private final Instant startedAt;

  StatusController(NodeStatus node, List<StatusContributor> contributors, Clock clock) {
    this.node = node;
    this.contributors = contributors;
    this.clock = clock;
    this.startedAt = clock.instant();
  }

  @GetMapping("/api/v1/status")
  @Operation(
      operationId = "getStatus",
      summary = "Role, version, up-time, current LSN, counts, what is wrong now")
  Status status() {
    Map<String, Number> counts = new TreeMap<>();
    List<String> problems = new ArrayList<>();
    for (StatusContributor contributor : contributors) {
      counts.putAll(contributor.counts());
      problems.addAll(contributor.problems());
    }
    return new Status(
        node.role(),
        ServiceVersion.text(),
        node.systemIdentifier(),
        startedAt.truncatedTo(ChronoUnit.MICROS).toString(),
        Duration.between(startedAt, clock.instant()).toSeconds(),
        node.currentLsn(),
        counts,
        problems);
  }

  /** The page; {@code up_time} in seconds. */
  @Schema(name = "Status")
  record Status(
      String role,
      String version,
      @JsonProperty("system_identifier") String systemIdentifier,
      @JsonProperty("started_at") String startedAt,
      @JsonProperty("up_time") @Schema(description = "seconds") long upTime,
      @JsonProperty("current_lsn") String currentLsn,
      Map<String, Number> counts,
      @Schema(description = "what is wrong now") List<String> problems) {}
}
