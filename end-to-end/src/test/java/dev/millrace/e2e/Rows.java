package dev.millrace.e2e;

import java.util.Arrays;
import java.util.List;

/** Rows as REST shows them, written down. */
final class Rows {

  private Rows() {}

  static List<String> row(String... values) {
    return Arrays.asList(values);
  }

  @SafeVarargs
  static List<List<String>> rows(List<String>... rows) {
    return List.of(rows);
  }
}
