package dev.millrace.publisher.walsender;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.settings.Settings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.util.MultiValueMap;
import org.springframework.web.socket.WebSocketHandler;
import org.springframework.web.socket.WebSocketHttpHeaders;
import org.springframework.web.socket.server.HandshakeInterceptor;
import org.springframework.web.util.UriComponentsBuilder;
import org.springframework.web.util.UriUtils;
import tools.jackson.databind.json.JsonMapper;

/**
 * Checks a replication connection before its upgrade, where a plain HTTP answer can still say no.
 */
final class ReplicationHandshake implements HandshakeInterceptor {

  static final String SUBPROTOCOL = "millrace.replication.v1";
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final PublisherNode node;
  private final WalSenders walSenders;
  private final Settings settings;

  ReplicationHandshake(PublisherNode node, WalSenders walSenders, Settings settings) {
    this.node = node;
    this.walSenders = walSenders;
    this.settings = settings;
  }

  @Override
  public boolean beforeHandshake(
      ServerHttpRequest request,
      ServerHttpResponse response,
      WebSocketHandler handler,
      Map<String, Object> attributes)
      throws IOException {
    try {
      requireSubprotocol(request);
      HandshakeParameters parameters = parameters(request);
      requireDatabase(parameters.dbname());
      parameters.sessionSettings(settings);
      walSenders.requireRoom();
      parameters.putInto(attributes);
      return true;
    } catch (PgException e) {
      refuse(response, e);
      return false;
    }
  }

  private static void requireSubprotocol(ServerHttpRequest request) {
    List<String> offered = new WebSocketHttpHeaders(request.getHeaders()).getSecWebSocketProtocol();
    if (!offered.isEmpty() && !offered.contains(SUBPROTOCOL)) {
      throw new PgException(
          SqlState.PROTOCOL_VIOLATION,
          "unsupported subprotocol, only " + SUBPROTOCOL + " is spoken");
    }
  }

  private static HandshakeParameters parameters(ServerHttpRequest request) {
    MultiValueMap<String, String> query =
        UriComponentsBuilder.fromUri(request.getURI()).build().getQueryParams();
    return HandshakeParameters.parse(
        decoded(query, "dbname"), decoded(query, "application_name"), decoded(query, "options"));
  }

  private static String decoded(MultiValueMap<String, String> query, String name) {
    String raw = query.getFirst(name);
    return raw == null ? null : UriUtils.decode(raw.replace('+', ' '), StandardCharsets.UTF_8);
  }

  private void requireDatabase(String dbname) {
    if (dbname != null && !dbname.equals(node.databaseName())) {
      throw new PgException(
          SqlState.INVALID_CATALOG_NAME, "database \"" + dbname + "\" does not exist");
    }
  }

  private static void refuse(ServerHttpResponse response, PgException error) throws IOException {
    HttpStatus status = status(error.sqlState());
    Map<String, Object> problem = new LinkedHashMap<>();
    problem.put("type", "about:blank");
    problem.put("title", status.getReasonPhrase());
    problem.put("status", status.value());
    problem.put("detail", error.getMessage());
    problem.put("sqlstate", error.sqlState());
    if (error.hint() != null) {
      problem.put("hint", error.hint());
    }
    response.setStatusCode(status);
    response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
    response.getBody().write(JSON.writeValueAsBytes(problem));
    response.flush();
  }

  private static HttpStatus status(String sqlState) {
    if (sqlState.equals(SqlState.INVALID_CATALOG_NAME)) {
      return HttpStatus.NOT_FOUND;
    }
    if (sqlState.startsWith("53")) {
      return HttpStatus.TOO_MANY_REQUESTS;
    }
    if (sqlState.startsWith("57")) {
      return HttpStatus.SERVICE_UNAVAILABLE;
    }
    return HttpStatus.BAD_REQUEST;
  }

  @Override
  public void afterHandshake(
      ServerHttpRequest request,
      ServerHttpResponse response,
      WebSocketHandler handler,
      Exception error) {
    // Nothing was reserved: a session is counted when its connection opens.
  }
}
