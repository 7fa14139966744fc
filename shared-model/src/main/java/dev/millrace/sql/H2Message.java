package dev.millrace.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.h2.jdbc.JdbcException;

/**
 * An H2 error taken apart: its sentence, the parameters that stand in double quotes in it, and the
 * statement that failed.
 */
final class H2Message {

  /** Possessive, so that long names cost no stack and no second try. */
  static final String QUOTED = "\"(?:[^\"]++|\"\")*+\"";

  private static final String IDENTIFIER = "(?:" + QUOTED + "|[^\\s\"(,.;]++)";

  /** The table a statement names first, after the words that can stand before it. */
  private static final Pattern TARGET =
      Pattern.compile(
          "^\\s*(?:insert\\s+into|update(?:\\s+only)?|delete\\s+from|merge\\s+into"
              + "|alter\\s+table(?:\\s+if\\s+exists)?|create\\s+table(?:\\s+if\\s+not\\s+exists)?)"
              + "\\s+(?:("
              + IDENTIFIER
              + ")\\.)?("
              + IDENTIFIER
              + ")",
          Pattern.CASE_INSENSITIVE);

  /** The table a foreign key names. */
  private static final Pattern REFERENCED =
      Pattern.compile(
          "\\breferences\\s+(?:" + IDENTIFIER + "\\.)?(" + IDENTIFIER + ")",
          Pattern.CASE_INSENSITIVE);

  private final String text;
  private final String sql;
  private final List<String> parameters = new ArrayList<>();

  H2Message(SQLException error) {
    JdbcException h2 = error instanceof JdbcException ? (JdbcException) error : null;
    text = h2 == null || h2.getOriginalMessage() == null ? error.getMessage() : withoutSql(h2);
    sql = h2 == null || h2.getSQL() == null ? "" : h2.getSQL();
    readParameters(text == null ? "" : text);
  }

  /** By hand, because a parameter may be a whole statement, too long for a regular expression. */
  private void readParameters(String message) {
    int open = message.indexOf('"');
    while (open >= 0) {
      int close = open + 1;
      while (close < message.length() && !endsAt(message, close)) {
        close += message.charAt(close) == '"' ? 2 : 1;
      }
      int end = Math.min(close, message.length());
      parameters.add(message.substring(open + 1, end).replace("\"\"", "\""));
      open = close + 1 < message.length() ? message.indexOf('"', close + 1) : -1;
    }
  }

  /** A quote that is not doubled. */
  private static boolean endsAt(String message, int at) {
    boolean doubled = at + 1 < message.length() && message.charAt(at + 1) == '"';
    return message.charAt(at) == '"' && !doubled;
  }

  private static String withoutSql(JdbcException error) {
    String message = error.getOriginalMessage();
    int statement = message.indexOf("; SQL statement:");
    String first = statement < 0 ? message : message.substring(0, statement);
    return first.replaceFirst(" \\[\\d+-\\d+]$", "");
  }

  /** The parameter at that place, or an empty string. */
  String parameter(int index) {
    return index < parameters.size() ? parameters.get(index) : "";
  }

  String sql() {
    return sql;
  }

  boolean statementBegins(String words) {
    return sql.stripLeading().toLowerCase(Locale.ROOT).startsWith(words);
  }

  /** The name of the table written to or altered, without its schema, or null. */
  String target() {
    Matcher matcher = TARGET.matcher(sql);
    return matcher.find() ? unquote(matcher.group(2)) : null;
  }

  /** The table that a foreign key of the statement refers to, or null. */
  String referenced() {
    Matcher matcher = REFERENCED.matcher(sql);
    return matcher.find() ? unquote(matcher.group(1)) : null;
  }

  /** The sentence in PostgreSQL's manner: small first letter, no full stop. */
  String plain() {
    if (text == null || text.isEmpty()) {
      return "the database reported an error without a message";
    }
    boolean word = text.length() < 2 || Character.isLowerCase(text.charAt(1));
    return word ? Character.toLowerCase(text.charAt(0)) + text.substring(1) : text;
  }

  static String unquote(String identifier) {
    if (identifier.length() >= 2 && identifier.startsWith("\"") && identifier.endsWith("\"")) {
      return identifier.substring(1, identifier.length() - 1).replace("\"\"", "\"");
    }
    return identifier;
  }
}
