package dev.millrace.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("docs/conformance.md is true")
class ConformancePageTest {

  private static final Path TOP = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern ROW =
      Pattern.compile("\\| ([A-Z]\\d+) \\|(?:.*\\|)? ([A-Za-z0-9, ]+) \\|");

  private static Map<String, List<String>> testsById() throws IOException {
    Map<String, List<String>> rows = new TreeMap<>();
    for (String line :
        Files.readAllLines(TOP.resolve("docs/conformance.md"), StandardCharsets.UTF_8)) {
      var row = ROW.matcher(line);
      if (row.matches()) {
        rows.put(row.group(1), List.of(row.group(2).split(", ")));
      }
    }
    return rows;
  }

  private static Set<String> testClasses() throws IOException {
    try (Stream<Path> files = Files.walk(TOP)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith("Test.java"))
          .map(name -> name.replace(".java", ""))
          .collect(Collectors.toSet());
    }
  }

  @Test
  @DisplayName("every test it names exists")
  void namedTestsExist() throws IOException {
    Set<String> named = new HashSet<>();
    testsById().values().forEach(named::addAll);
    assertThat(testClasses()).containsAll(named);
  }

  @Test
  @DisplayName("every requirement and scenario of this version has a line")
  void nothingIsMissing() throws IOException {
    String ids =
        "N1 N2 N3 N4 N5 N6 N7 N8 N9 N10 N11 N12 C1 C2 C3 C5 D1 D2 D3 D4 D6 D7 O1 O2 O4 T1 T2 T3 T4 T5"
            + " A1 A2 A3 A4 A5 A6 A7 A8 A9 Y1 Y2 R1 R2 M1 M2 S01 S02 S03 S04 S05 S06 S07 S08 S09 S10"
            + " S11 S12 S13 S14 S15 S16 S17 S18 S25 S26 S39 S46";
    assertThat(testsById().keySet()).contains(ids.split(" "));
  }
}
