package dev.millrace.tools.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** The figures of one run by name, printed as they come and written as JSON at the end. */
final class Figures {

  private final Map<String, Double> values = new LinkedHashMap<>();

  void put(String name, double value) {
    values.put(name, value);
    System.out.printf(Locale.ROOT, "%-44s %,14.2f%n", name, value);
  }

  void write(Path file) throws IOException {
    String json =
        JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(values);
    Files.writeString(file, json + System.lineSeparator(), StandardCharsets.UTF_8);
  }
}
