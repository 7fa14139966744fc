package dev.millrace.publisher.decoding.vectors;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One captured scenario: the SQL that was run and what PostgreSQL sent for it. */
record VectorScenario(
    String name,
    List<String> setup,
    List<String> publication,
    List<Step> steps,
    List<Run> runs,
    List<TextRun> textRuns) {

  /** Beside the codec's tests in the shared module. */
  private static final Path ARCHIVE =
      Path.of("..", "shared-model", "src", "test", "resources", "vectors", "pgoutput.zip");

  /**
   * @param errorCode SQLSTATE of the refusal, null when the step succeeded
   */
  record Step(int session, String sql, String errorCode, String errorMessage) {}

  /** A capture of pgoutput through the SQL functions. */
  record Run(Map<String, String> options, List<byte[]> messages, String error, int notices) {}

  /** A capture of test_decoding. */
  record TextRun(Map<String, String> options, List<String> lines, String error) {}

  static TreeMap<String, VectorScenario> all() throws IOException {
    JsonMapper mapper = JsonMapper.builder().build();
    TreeMap<String, VectorScenario> scenarios = new TreeMap<>();
    try (InputStream file = Files.newInputStream(ARCHIVE);
        ZipInputStream zip = new ZipInputStream(file)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        String name = entry.getName().replace(".json", "");
        scenarios.put(name, of(name, mapper.readTree(zip.readAllBytes())));
      }
    }
    return scenarios;
  }

  private static VectorScenario of(String name, JsonNode json) {
    List<String> setup = new ArrayList<>();
    json.path("setup").forEach(sql -> setup.add(sql.asString()));
    List<String> publication =
        Arrays.stream(json.path("publication").asString("").split(";\n"))
            .filter(sql -> !sql.isBlank())
            .toList();
    List<Step> steps = new ArrayList<>();
    for (JsonNode step : json.path("workload")) {
      JsonNode error = step.path("error");
      steps.add(
          new Step(
              step.path("session").asInt(),
              step.path("sql").asString(),
              error.path("code").asString(null),
              error.path("message").asString(null)));
    }
    List<Run> runs = new ArrayList<>();
    json.path("runs").forEach(run -> addRun(runs, run));
    List<TextRun> textRuns = new ArrayList<>();
    json.path("test_decoding").forEach(run -> addTextRun(textRuns, run));
    return new VectorScenario(name, setup, publication, steps, runs, textRuns);
  }

  private static void addRun(List<Run> runs, JsonNode run) {
    if (!comparable(run)) {
      return;
    }
    List<byte[]> messages = new ArrayList<>();
    for (JsonNode message : run.path("messages")) {
      messages.add(HexFormat.of().parseHex(message.path("hex").asString()));
    }
    String error = run.path("error").path("message").asString(null);
    runs.add(new Run(options(run), messages, error, run.path("notices").size()));
  }

  private static void addTextRun(List<TextRun> runs, JsonNode run) {
    if (!comparable(run)) {
      return;
    }
    List<String> lines = new ArrayList<>();
    run.path("lines").forEach(line -> lines.add(line.path("text").asString()));
    String error = run.path("error").path("message").asString(null);
    runs.add(new TextRun(options(run), lines, error));
  }

  /** Binary, streaming and two-phase captures come later; stream captures repeat the sql ones. */
  private static boolean comparable(JsonNode run) {
    return run.path("capture").asString().equals("sql")
        && !run.path("slot").path("two_phase").asBoolean()
        && !run.has("client_encoding")
        && run.path("gucs").isEmpty()
        && run.path("options").path("binary").asString("false").equals("false")
        && run.path("options").path("streaming").asString("off").equals("off")
        && !run.path("options").has("stream-changes");
  }

  private static Map<String, String> options(JsonNode run) {
    Map<String, String> options = new TreeMap<>();
    run.path("options")
        .properties()
        .forEach(option -> options.put(option.getKey(), option.getValue().asString()));
    return options;
  }
}
