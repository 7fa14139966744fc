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

  /** The settings of a capture; {@code workMem} in bytes. */
  record Settings(long workMem, boolean immediately) {}

  /** A capture of pgoutput; {@code twoPhase} is the slot's. */
  record Run(
      boolean twoPhase,
      Map<String, String> options,
      Settings settings,
      List<byte[]> messages,
      String error,
      int notices) {

    /** Where its blocks end follows from the server's accounting of memory. */
    boolean isStreamedByMemory() {
      return options.containsKey("streaming") && !settings.immediately;
    }

    /** Whether the options turn a plain slot into a two-phase one. */
    boolean turnsTwoPhase() {
      return !twoPhase && options.containsKey("two_phase");
    }

    boolean isParallel() {
      return "parallel".equals(options.get("streaming"));
    }
  }

  /** A capture of test_decoding. */
  record TextRun(
      boolean twoPhase,
      Map<String, String> options,
      Settings settings,
      List<String> lines,
      String error) {

    boolean isStreamedByMemory() {
      return options.containsKey("stream-changes") && !settings.immediately;
    }
  }

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
    boolean streaming = name.matches("(13-stream|12-two-phase|20-high).*");
    json.path("runs").forEach(run -> addRun(runs, run, streaming));
    List<TextRun> textRuns = new ArrayList<>();
    json.path("test_decoding").forEach(run -> addTextRun(textRuns, run, streaming));
    return new VectorScenario(name, setup, publication, steps, runs, textRuns);
  }

  private static void addRun(List<Run> runs, JsonNode run, boolean streaming) {
    if (!comparable(run, streaming)) {
      return;
    }
    List<byte[]> messages = new ArrayList<>();
    for (JsonNode message : run.path("messages")) {
      messages.add(HexFormat.of().parseHex(message.path("hex").asString()));
    }
    String error = run.path("error").path("message").asString(null);
    int notices = run.path("notices").size();
    runs.add(new Run(twoPhase(run), options(run), settings(run), messages, error, notices));
  }

  private static void addTextRun(List<TextRun> runs, JsonNode run, boolean streaming) {
    if (!comparable(run, streaming)) {
      return;
    }
    List<String> lines = new ArrayList<>();
    run.path("lines").forEach(line -> lines.add(line.path("text").asString()));
    String error = run.path("error").path("message").asString(null);
    runs.add(new TextRun(twoPhase(run), options(run), settings(run), lines, error));
  }

  /**
   * Stream captures repeat the sql ones, except where streaming or two-phase commit is what they
   * show. What is read with other settings than this publisher has is left out.
   */
  private static boolean comparable(JsonNode run, boolean streaming) {
    return (streaming || run.path("capture").asString().equals("sql"))
        && !run.has("client_encoding")
        && !run.path("gucs").has("DateStyle");
  }

  private static boolean twoPhase(JsonNode run) {
    return run.path("slot").path("two_phase").asBoolean();
  }

  private static Settings settings(JsonNode run) {
    JsonNode given = run.path("gucs");
    boolean small = given.path("logical_decoding_work_mem").asString("").equals("64kB");
    return new Settings(
        small ? 64 << 10 : 64 << 20,
        given.path("debug_logical_replication_streaming").asString("").equals("immediate"));
  }

  private static Map<String, String> options(JsonNode run) {
    Map<String, String> options = new TreeMap<>();
    run.path("options")
        .properties()
        .forEach(option -> options.put(option.getKey(), option.getValue().asString()));
    return options;
  }
}
