package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.PgText;
import dev.millrace.model.SqlState;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Unique and foreign-key violations: H2 puts constraint, table, columns and values into one
 * parameter, from which PostgreSQL's message and detail are made.
 */
final class KeyViolations {

  private static final String NAME = "(" + H2Message.QUOTED + "|[^\\s\".(),:]++)";
  private static final String SORT_OPTIONS = "(?: (?:ASC|DESC|NULLS FIRST|NULLS LAST))*+";

  private static final Pattern COLUMN = Pattern.compile(NAME + SORT_OPTIONS + "(?:, |$)");

  /** {@code public.t_k_key INDEX public.t_k_key_INDEX_7 ON public.t(k NULLS LAST) VALUES (..)}. */
  private static final Pattern UNIQUE =
      Pattern.compile(
          "(?:"
              + NAME
              + "\\.)?"
              + NAME
              + "( PRIMARY KEY)?(?: INDEX \\S+)? ON (?:"
              + NAME
              + "\\.)?"
              + NAME
              + "\\(("
              + NAME
              + SORT_OPTIONS
              + "(?:, "
              + NAME
              + SORT_OPTIONS
              + ")*+)\\)"
              + "(?: VALUES)? ?\\( ?(.*?) ?\\)",
          Pattern.DOTALL);

  /** {@code ch_pid_fkey: public.ch FOREIGN KEY(pid) REFERENCES public.t(id) (99)}. */
  private static final Pattern FOREIGN =
      Pattern.compile(
          NAME
              + ": (?:"
              + NAME
              + "\\.)?"
              + NAME
              + " FOREIGN KEY\\((.*?)\\) REFERENCES (?:"
              + NAME
              + "\\.)?"
              + NAME
              + "\\((.*?)\\) \\((.*)\\)",
          Pattern.DOTALL);

  private static final Pattern KEY_COMMENT = Pattern.compile("^/\\* (?:key:)?(-?\\d+) \\*/ ?");
  private static final Pattern GENERATED_INDEX = Pattern.compile("_INDEX_[0-9A-F]+$");
  private static final Pattern TYPED_LITERAL = Pattern.compile("[A-Z ]+ '(.*)'", Pattern.DOTALL);

  private KeyViolations() {}

  static PgException unique(H2Message message, SQLException cause) {
    Matcher matcher = UNIQUE.matcher(message.parameter(0));
    if (!matcher.matches()) {
      return new PgException(SqlState.UNIQUE_VIOLATION, message.plain(), cause);
    }
    String name = GENERATED_INDEX.matcher(H2Message.unquote(matcher.group(2))).replaceFirst("");
    List<String> columns = columnNames(matcher.group(6));
    List<String> values = keyValues(matcher.group(9), columns.size(), matcher.group(3) != null);
    boolean building = message.statementBegins("create") || message.statementBegins("alter");
    PgException error =
        new PgException(
            SqlState.UNIQUE_VIOLATION,
            building
                ? "could not create unique index \"" + name + "\""
                : "duplicate key value violates unique constraint \"" + name + "\"",
            cause);
    return error.withDetail(
        key(columns, values) + (building ? " is duplicated." : " already exists."));
  }

  /**
   * @param parentMissing the row points nowhere (H2's 23506); otherwise it is still pointed to
   */
  static PgException foreign(H2Message message, boolean parentMissing, SQLException cause) {
    Matcher matcher = FOREIGN.matcher(message.parameter(0));
    if (!matcher.matches()) {
      return new PgException(SqlState.FOREIGN_KEY_VIOLATION, message.plain(), cause);
    }
    String constraint = H2Message.unquote(matcher.group(1));
    String child = H2Message.unquote(matcher.group(3));
    String parent = H2Message.unquote(matcher.group(6));
    List<String> childColumns = columnNames(matcher.group(4));
    List<String> parentColumns = columnNames(matcher.group(7));
    List<String> values = literals(matcher.group(8));
    if (parentMissing) {
      return new PgException(
              SqlState.FOREIGN_KEY_VIOLATION,
              "insert or update on table \""
                  + child
                  + "\" violates foreign key constraint \""
                  + constraint
                  + "\"",
              cause)
          .withDetail(key(childColumns, values) + " is not present in table \"" + parent + "\".");
    }
    return new PgException(
            SqlState.FOREIGN_KEY_VIOLATION,
            "update or delete on table \""
                + parent
                + "\" violates foreign key constraint \""
                + constraint
                + "\" on table \""
                + child
                + "\"",
            cause)
        .withDetail(
            key(parentColumns, values) + " is still referenced from table \"" + child + "\".");
  }

  private static String key(List<String> columns, List<String> values) {
    return "Key (" + String.join(", ", columns) + ")=(" + String.join(", ", values) + ")";
  }

  /** {@code k NULLS LAST, "A b"} without sort options. */
  private static List<String> columnNames(String columns) {
    List<String> names = new ArrayList<>();
    Matcher matcher = COLUMN.matcher(columns);
    while (matcher.find()) {
      names.add(H2Message.unquote(matcher.group(1)));
    }
    return names;
  }

  /**
   * An index message lists the key's values; a message of the row store itself (the primary key of
   * one integer column) lists the whole row, but its comment holds the key.
   */
  private static List<String> keyValues(String text, int columns, boolean wholeRow) {
    Matcher comment = KEY_COMMENT.matcher(text);
    boolean commented = comment.find();
    if (wholeRow && commented) {
      return List.of(comment.group(1));
    }
    List<String> values = literals(commented ? text.substring(comment.end()) : text);
    return values.subList(0, Math.min(columns, values.size()));
  }

  /** SQL literals separated by commas, as PostgreSQL would print the values. */
  private static List<String> literals(String text) {
    List<String> values = new ArrayList<>();
    int start = 0;
    boolean quoted = false;
    for (int i = 0; i <= text.length(); i++) {
      boolean end = i == text.length();
      if (!end && text.charAt(i) == '\'') {
        quoted = !quoted;
      } else if (end || text.charAt(i) == ',' && !quoted) {
        values.add(shown(text.substring(start, i).strip()));
        start = i + 1;
      }
    }
    return values;
  }

  private static String shown(String literal) {
    if (literal.equals("TRUE") || literal.equals("FALSE")) {
      return literal.equals("TRUE") ? "t" : "f";
    }
    if (literal.equals("NULL")) {
      return "null";
    }
    if (literal.startsWith("X'")) {
      return "\\x" + literal.substring(2, literal.length() - 1);
    }
    if (literal.startsWith("TIMESTAMP WITH TIME ZONE '")) {
      int type = dev.millrace.model.PgType.TIMESTAMPTZ;
      String inner = literal.substring("TIMESTAMP WITH TIME ZONE '".length(), literal.length() - 1);
      return PgText.format(PgText.parse(inner, type), type, -1);
    }
    Matcher typed = TYPED_LITERAL.matcher(literal);
    if (typed.matches()) {
      return typed.group(1).replace("''", "'");
    }
    boolean text = literal.length() >= 2 && literal.startsWith("'") && literal.endsWith("'");
    return text ? literal.substring(1, literal.length() - 1).replace("''", "'") : literal;
  }
}
