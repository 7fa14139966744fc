package dev.millrace.sql;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The names PostgreSQL gives to constraints and indexes that were not named: table, columns and a
 * label joined by underscores, shortened to 63 bytes by taking from the longer of the first two
 * parts, with a number after the label when the name is taken in the same statement.
 */
final class ImplicitNames {

  private static final int MAX_BYTES = 63;

  private final Set<String> taken = new HashSet<>();
  private final int firstNumber;

  /** {@code firstNumber} 0 tries the label without a number first. */
  ImplicitNames(int firstNumber) {
    this.firstNumber = firstNumber;
  }

  /** Counts an explicit name as taken. */
  void take(String name) {
    taken.add(name);
  }

  String primaryKey(String table) {
    return choose(table, null, "pkey");
  }

  String unique(String table, List<String> columns) {
    return choose(table, joined(columns), "key");
  }

  String index(String table, List<String> columns) {
    return choose(table, joined(columns), "idx");
  }

  String foreignKey(String table, List<String> columns) {
    return choose(table, joined(columns), "fkey");
  }

  /** {@code column} null unless the expression uses exactly one. */
  String check(String table, String column) {
    return choose(table, column, "check");
  }

  private String choose(String table, String addition, String label) {
    int number = firstNumber;
    String name = make(table, addition, numbered(label, number));
    while (!taken.add(name)) {
      name = make(table, addition, numbered(label, ++number));
    }
    return name;
  }

  private static String numbered(String label, int number) {
    return number == 0 ? label : label + number;
  }

  private static String joined(List<String> columns) {
    return clip(String.join("_", columns), MAX_BYTES);
  }

  private static String make(String first, String second, String label) {
    int overhead = 1 + bytes(label) + (second == null ? 0 : 1);
    int available = MAX_BYTES - overhead;
    int firstBytes = bytes(first);
    int secondBytes = second == null ? 0 : bytes(second);
    while (firstBytes + secondBytes > available) {
      if (firstBytes > secondBytes) {
        firstBytes--;
      } else {
        secondBytes--;
      }
    }
    String start = clip(first, firstBytes);
    return second == null
        ? start + "_" + label
        : start + "_" + clip(second, secondBytes) + "_" + label;
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  /** The longest beginning of whole characters that fits {@code maxBytes} of UTF-8. */
  static String clip(String text, int maxBytes) {
    int size = 0;
    int i = 0;
    while (i < text.length()) {
      int codePoint = text.codePointAt(i);
      size += codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
      if (size > maxBytes) {
        return text.substring(0, i);
      }
      i += Character.charCount(codePoint);
    }
    return text;
  }
}
