package dev.millrace.subscriber.receiver;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Where a publisher is and as whom to log in: the parsed form of a subscription's connection.
 *
 * <p>Two written forms: {@code ws://host:port/replication?dbname=..} (or {@code wss}), and
 * PostgreSQL's keyword/value string {@code host=.. port=.. dbname=..}. Unlike the text it comes
 * from, this object is safe to print: {@link #toString} leaves the password out.
 *
 * @param tls whether to use {@code wss}
 * @param user null for none, as are {@code password}, {@code dbname}, {@code applicationName} and
 *     {@code options} (the walsender's settings, {@code -c name=value})
 * @param connectTimeoutSeconds 0 for the default
 */
record ConnectionString(
    boolean tls,
    String host,
    int port,
    String dbname,
    String user,
    String password,
    String applicationName,
    String options,
    int connectTimeoutSeconds) {

  static final int DEFAULT_PORT = 8080;

  private static final Set<String> KEYWORDS =
      Set.of(
          "host",
          "port",
          "dbname",
          "user",
          "password",
          "sslmode",
          "application_name",
          "options",
          "connect_timeout");
  private static final Set<String> TLS_MODES = Set.of("require", "verify-ca", "verify-full");
  private static final Set<String> PLAIN_MODES = Set.of("disable", "allow", "prefer");

  /**
   * @throws PgException 42601 malformed, 22023 a value out of range, 0A000 for postgresql://
   */
  static ConnectionString parse(String text) {
    String lower = text.trim().toLowerCase(Locale.ROOT);
    if (lower.startsWith("postgresql://") || lower.startsWith("postgres://")) {
      throw new PgException(
              SqlState.FEATURE_NOT_SUPPORTED,
              "subscribing to a PostgreSQL server is not supported yet")
          .withHint("Use ws://host:port/replication?dbname=.. of a Millrace publisher.");
    }
    if (lower.startsWith("ws://") || lower.startsWith("wss://")) {
      return ofUri(text.trim());
    }
    return of(KeywordValueParser.parse(text), null);
  }

  private static ConnectionString ofUri(String text) {
    URI uri;
    try {
      uri = URI.create(text);
    } catch (IllegalArgumentException malformed) {
      // The exception's own text repeats the input, and with it a password.
      throw syntax("the URI is malformed");
    }
    if (uri.getHost() == null) {
      throw syntax("the URI has no host");
    }
    if (!"/replication".equals(uri.getPath())) {
      throw syntax("the path of the URI must be /replication");
    }
    Map<String, String> values = new LinkedHashMap<>();
    values.put("host", uri.getHost());
    if (uri.getPort() != -1) {
      values.put("port", Integer.toString(uri.getPort()));
    }
    if (uri.getRawUserInfo() != null) {
      String[] login = uri.getRawUserInfo().split(":", 2);
      values.put("user", decode(login[0]));
      if (login.length == 2) {
        values.put("password", decode(login[1]));
      }
    }
    if (uri.getRawQuery() != null) {
      for (String pair : uri.getRawQuery().split("&")) {
        int equals = pair.indexOf('=');
        if (equals < 1) {
          throw syntax("missing \"=\" after \"" + decode(pair) + "\" in the query of the URI");
        }
        values.put(decode(pair.substring(0, equals)), decode(pair.substring(equals + 1)));
      }
    }
    return of(values, "wss".equalsIgnoreCase(uri.getScheme()));
  }

  private static ConnectionString of(Map<String, String> values, Boolean tlsOfScheme) {
    for (String keyword : values.keySet()) {
      if (!KEYWORDS.contains(keyword)) {
        throw syntax("invalid connection option \"" + keyword + "\"");
      }
    }
    String host = values.get("host");
    return new ConnectionString(
        tls(values.get("sslmode"), tlsOfScheme),
        host == null || host.isEmpty() ? "localhost" : host,
        number(values, "port", DEFAULT_PORT, 1, 65535),
        values.get("dbname"),
        values.get("user"),
        values.get("password"),
        values.get("application_name"),
        values.get("options"),
        number(values, "connect_timeout", 0, 0, 3600));
  }

  private static boolean tls(String sslmode, Boolean tlsOfScheme) {
    if (sslmode != null && !TLS_MODES.contains(sslmode) && !PLAIN_MODES.contains(sslmode)) {
      throw new PgException(
          SqlState.INVALID_PARAMETER_VALUE, "invalid sslmode value: \"" + sslmode + "\"");
    }
    if (tlsOfScheme != null) {
      return tlsOfScheme;
    }
    return sslmode != null && TLS_MODES.contains(sslmode);
  }

  private static int number(
      Map<String, String> values, String keyword, int absent, int min, int max) {
    String text = values.get(keyword);
    if (text == null || text.isEmpty()) {
      return absent;
    }
    int value;
    try {
      value = Integer.parseInt(text.trim());
    } catch (NumberFormatException notANumber) {
      throw new PgException(
          SqlState.INVALID_PARAMETER_VALUE,
          "invalid integer value \"" + text + "\" for connection option \"" + keyword + "\"");
    }
    if (value < min || value > max) {
      throw new PgException(
          SqlState.INVALID_PARAMETER_VALUE,
          "invalid " + keyword.replace('_', ' ') + " number: \"" + text + "\"");
    }
    return value;
  }

  static PgException syntax(String reason) {
    return new PgException(SqlState.SYNTAX_ERROR, "invalid connection string syntax: " + reason);
  }

  /** The endpoint's address; {@code defaultApplicationName} stands in where none was written. */
  URI endpoint(String defaultApplicationName) {
    StringBuilder text = new StringBuilder(tls ? "wss://" : "ws://");
    text.append(host.indexOf(':') >= 0 && !host.startsWith("[") ? '[' + host + ']' : host);
    text.append(':').append(port).append("/replication?application_name=");
    text.append(encode(applicationName == null ? defaultApplicationName : applicationName));
    if (dbname != null) {
      text.append("&dbname=").append(encode(dbname));
    }
    if (options != null) {
      text.append("&options=").append(encode(options));
    }
    return URI.create(text.toString());
  }

  private static String encode(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static String decode(String value) {
    try {
      return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException malformed) {
      throw syntax("invalid percent-encoded token");
    }
  }

  @Override
  public String toString() {
    return (tls ? "wss://" : "ws://") + host + ':' + port + (dbname == null ? "" : '/' + dbname);
  }
}
