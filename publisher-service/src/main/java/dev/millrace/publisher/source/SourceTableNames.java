package dev.millrace.publisher.source;

import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reads the names of a setting as SQL would: folded unless quoted, schema public by default. */
final class SourceTableNames {

  private SourceTableNames() {}

  static List<String> quoted(List<String> names) {
    return names.stream().map(SourceTableNames::quoted).toList();
  }

  private static String quoted(String name) {
    List<String> parts = parts(name.trim());
    if (parts.size() > 2 || parts.contains("")) {
      throw new PgException(
          SqlState.INVALID_NAME, "invalid table name in millrace.source.tables: \"" + name + "\"");
    }
    String schema = parts.size() == 2 ? parts.get(0) : "public";
    return Identifiers.alwaysQuote(schema)
        + "."
        + Identifiers.alwaysQuote(parts.get(parts.size() - 1));
  }

  private static List<String> parts(String name) {
    List<String> parts = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    boolean inQuotes = false;
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c == '"' && inQuotes && i + 1 < name.length() && name.charAt(i + 1) == '"') {
        part.append(c);
        i++;
      } else if (c == '"') {
        inQuotes = !inQuotes;
      } else if (c == '.' && !inQuotes) {
        parts.add(part.toString());
        part.setLength(0);
      } else {
        part.append(inQuotes ? String.valueOf(c) : String.valueOf(c).toLowerCase(Locale.ROOT));
      }
    }
    parts.add(part.toString());
    return parts;
  }
}
