package dev.millrace.publisher.walsender;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.settings.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What the URL of the replication endpoint says.
 *
 * @param dbname null when not given
 * @param applicationName empty when not given
 * @param settings {@code -c name=value} settings of the session, in the order given
 */
record HandshakeParameters(
    String dbname, String applicationName, List<Map.Entry<String, String>> settings) {

  private static final String ATTRIBUTE = HandshakeParameters.class.getName();

  /**
   * @param options as PostgreSQL's connection option: {@code -c name=value}, {@code -cname=value}
   *     or {@code --name=value} separated by blanks, a backslash before a blank that belongs to a
   *     value
   * @throws PgException 42601 when the options have another form
   */
  static HandshakeParameters parse(String dbname, String applicationName, String options) {
    List<Map.Entry<String, String>> settings = new ArrayList<>();
    List<String> words = words(options == null ? "" : options);
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      String assignment;
      if (word.equals("-c") && i + 1 < words.size()) {
        assignment = words.get(++i);
      } else if (word.startsWith("--") || word.startsWith("-c")) {
        assignment = word.substring(2);
      } else {
        throw invalid(word);
      }
      int equals = assignment.indexOf('=');
      if (equals < 1) {
        throw invalid(assignment);
      }
      String name = assignment.substring(0, equals).replace('-', '_');
      settings.add(Map.entry(name, assignment.substring(equals + 1)));
    }
    return new HandshakeParameters(
        dbname, applicationName == null ? "" : applicationName, List.copyOf(settings));
  }

  private static PgException invalid(String word) {
    return new PgException(
        SqlState.SYNTAX_ERROR, "invalid command-line argument for server process: " + word);
  }

  private static List<String> words(String options) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean inWord = false;
    for (int i = 0; i < options.length(); i++) {
      char c = options.charAt(i);
      if (Character.isWhitespace(c)) {
        if (inWord) {
          words.add(word.toString());
          word.setLength(0);
          inWord = false;
        }
        continue;
      }
      if (c == '\\' && i + 1 < options.length()) {
        c = options.charAt(++i);
      }
      word.append(c);
      inWord = true;
    }
    if (inWord) {
      words.add(word.toString());
    }
    return words;
  }

  /**
   * The session's own view of the settings with these on top.
   *
   * @throws PgException 42704 for an unknown setting, 22023 for a bad value, 55P02 for one that a
   *     session cannot change
   */
  Settings sessionSettings(Settings node) {
    Settings session = node.forSession();
    for (Map.Entry<String, String> setting : settings) {
      session.set(setting.getKey(), setting.getValue());
    }
    return session;
  }

  void putInto(Map<String, Object> attributes) {
    attributes.put(ATTRIBUTE, this);
  }

  static HandshakeParameters of(Map<String, Object> attributes) {
    return (HandshakeParameters) attributes.get(ATTRIBUTE);
  }
}
