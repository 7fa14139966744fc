package dev.millrace.publisher.decoding.vectors;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Leaves columns out of a table: out of its CREATE TABLE and out of its INSERT .. VALUES without
 * column list. Knows just the SQL of the captured scenarios.
 */
final class ColumnCut {

  private final String table;
  private final Set<String> names;
  private final Set<Integer> positions = new HashSet<>();

  ColumnCut(String table, String... names) {
    this.table = table;
    this.names = Set.of(names);
  }

  boolean cuts(String relation, String column) {
    return relation.equals(table) && names.contains(column);
  }

  String apply(String sql) {
    if (sql.startsWith("CREATE TABLE " + table + " (")) {
      return cutDefinition(sql);
    }
    String insert = "INSERT INTO " + table + " VALUES ";
    return sql.startsWith(insert) ? insert + cutRows(sql.substring(insert.length())) : sql;
  }

  private String cutDefinition(String sql) {
    int open = sql.indexOf('(');
    List<String> columns = split(sql.substring(open + 1, sql.lastIndexOf(')')));
    List<String> kept = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      if (names.contains(columns.get(i).strip().split(" ")[0])) {
        positions.add(i);
      } else {
        kept.add(columns.get(i));
      }
    }
    return sql.substring(0, open + 1) + String.join(",", kept) + ")";
  }

  private String cutRows(String rows) {
    List<String> cut = new ArrayList<>();
    for (String row : split(rows)) {
      List<String> values = split(row.strip().substring(1, row.strip().length() - 1));
      List<String> kept = new ArrayList<>();
      for (int i = 0; i < values.size(); i++) {
        if (!positions.contains(i)) {
          kept.add(values.get(i));
        }
      }
      cut.add("(" + String.join(",", kept) + ")");
    }
    return String.join(", ", cut);
  }

  /** Splits at commas outside parentheses and quotes. */
  private static List<String> split(String text) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    boolean quoted = false;
    int from = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\'') {
        quoted = !quoted;
      } else if (!quoted && (c == '(' || c == ')')) {
        depth += c == '(' ? 1 : -1;
      } else if (!quoted && (c == '[' || c == ']')) {
        depth += c == '[' ? 1 : -1;
      } else if (!quoted && depth == 0 && c == ',') {
        parts.add(text.substring(from, i));
        from = i + 1;
      }
    }
    parts.add(text.substring(from));
    return parts;
  }
}
