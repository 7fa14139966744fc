package dev.millrace.subscriber.fake;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.json.JsonMapper;

/**
 * A publisher that has publications and slots but no rows: enough for the SUBSCRIPTION commands and
 * for workers that wait. Every command it was sent is kept.
 */
public final class ScriptedPublisher implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Pattern LITERAL = Pattern.compile("'((?:[^']|'')*)'");
  private static final Pattern QUOTED = Pattern.compile("\"((?:[^\"]|\"\")*)\"");
  private static final long END_LSN = 0x1000100L;

  private final WebSocketServer server;
  private final Map<String, List<String>> publications = new ConcurrentHashMap<>();
  private final Set<String> slots = new ConcurrentSkipListSet<>();
  private final List<String> commands = new CopyOnWriteArrayList<>();
  private final Map<String, String> refusals = new ConcurrentHashMap<>();

  public ScriptedPublisher() throws IOException {
    this(0);
  }

  public ScriptedPublisher(int port) throws IOException {
    server = new WebSocketServer(this::converse, port);
  }

  public int port() {
    return server.port();
  }

  public String connection() {
    return server.connection();
  }

  /** Tables of schema public. */
  public void publish(String publication, String... tables) {
    publications.put(publication, List.of(tables));
  }

  public Set<String> slots() {
    return slots;
  }

  public List<String> commands() {
    return commands;
  }

  /** Commands that begin so are answered with an error of that SQLSTATE. */
  public void refuse(String commandStart, String sqlState) {
    refusals.put(commandStart, sqlState);
  }

  public void allow(String commandStart) {
    refusals.remove(commandStart);
  }

  private void converse(WebSocketPeer peer) throws IOException {
    while (true) {
      WebSocketPeer.Message message = peer.read();
      if (message.text() != null) {
        commands.add(message.text());
        answer(peer, message.text());
      } else if (message.binary()[0] == 'c') {
        peer.sendBinary(copyDone());
        peer.sendText("{\"command\":\"START_REPLICATION\"}");
      }
    }
  }

  private void answer(WebSocketPeer peer, String command) throws IOException {
    for (Map.Entry<String, String> refusal : refusals.entrySet()) {
      if (command.startsWith(refusal.getKey())) {
        error(peer, refusal.getValue(), "refused by the script");
        return;
      }
    }
    if (command.startsWith("SELECT pubname FROM pg_publication ")) {
      rows(peer, List.of("pubname"), publicationRows(command));
    } else if (command.contains("FROM pg_publication_tables")) {
      rows(
          peer,
          List.of("pubname", "schemaname", "tablename", "attnames", "rowfilter"),
          tableRows(command));
    } else if (command.contains("FROM pg_replication_slots")) {
      String slot = literals(command).get(0);
      rows(peer, List.of("slot_name"), slots.contains(slot) ? List.of(List.of(slot)) : List.of());
    } else if (command.startsWith("CREATE_REPLICATION_SLOT")) {
      createSlot(peer, quoted(command));
    } else if (command.startsWith("DROP_REPLICATION_SLOT")) {
      dropSlot(peer, quoted(command));
    } else if (command.startsWith("START_REPLICATION")) {
      start(peer, quoted(command));
    } else if (command.equals("IDENTIFY_SYSTEM")) {
      rows(
          peer,
          List.of("systemid", "timeline", "xlogpos", "dbname"),
          List.of(List.of("7", 1, "0/1000100", "testdb")));
    } else if (command.startsWith("SELECT a.attname FROM pg_attribute")) {
      rows(peer, List.of("attname"), List.of());
    } else if (command.startsWith("SELECT count(*)")) {
      rows(peer, List.of("count"), List.of(List.of(0)));
    } else {
      peer.sendText("{\"command\":\"" + command.split(" ")[0] + "\"}");
    }
  }

  private List<List<Object>> publicationRows(String command) {
    List<List<Object>> rows = new ArrayList<>();
    for (String name : new TreeSet<>(literals(command))) {
      if (publications.containsKey(name)) {
        rows.add(List.of(name));
      }
    }
    return rows;
  }

  private List<List<Object>> tableRows(String command) {
    List<List<Object>> rows = new ArrayList<>();
    for (String name : new TreeSet<>(literals(command))) {
      for (String table : publications.getOrDefault(name, List.of())) {
        List<Object> row = new ArrayList<>(List.of(name, "public", table, "{id}"));
        row.add(null);
        rows.add(row);
      }
    }
    return rows;
  }

  private void createSlot(WebSocketPeer peer, String slot) throws IOException {
    if (!slots.add(slot)) {
      error(peer, "42710", "replication slot \"" + slot + "\" already exists");
      return;
    }
    List<Object> row = new ArrayList<>(List.of(slot, "0/1000100"));
    row.add(null);
    row.add("pgoutput");
    rows(
        peer,
        List.of("slot_name", "consistent_point", "snapshot_name", "output_plugin"),
        List.of(row));
  }

  private void dropSlot(WebSocketPeer peer, String slot) throws IOException {
    if (!slots.remove(slot)) {
      error(peer, "42704", "replication slot \"" + slot + "\" does not exist");
      return;
    }
    peer.sendText("{\"command\":\"DROP_REPLICATION_SLOT\"}");
  }

  private void start(WebSocketPeer peer, String slot) throws IOException {
    if (!slots.contains(slot)) {
      error(peer, "42704", "replication slot \"" + slot + "\" does not exist");
      return;
    }
    peer.sendText("{\"command\":\"COPY\",\"mode\":\"both\"}");
    ByteBuffer keepalive = ByteBuffer.allocate(1 + 4 + 18);
    keepalive.put((byte) 'd').putInt(4 + 18);
    keepalive.put((byte) 'k').putLong(END_LSN).putLong(0).put((byte) 0);
    peer.sendBinary(keepalive.array());
  }

  private static byte[] copyDone() {
    return ByteBuffer.allocate(5).put((byte) 'c').putInt(4).array();
  }

  private static void rows(WebSocketPeer peer, List<String> columns, List<List<Object>> rows)
      throws IOException {
    List<Map<String, String>> described = new ArrayList<>();
    columns.forEach(column -> described.add(Map.of("name", column, "type", "text")));
    peer.sendText(JSON.writeValueAsString(Map.of("columns", described, "rows", rows)));
  }

  private static void error(WebSocketPeer peer, String sqlState, String message)
      throws IOException {
    peer.sendText(
        JSON.writeValueAsString(Map.of("error", Map.of("sqlstate", sqlState, "message", message))));
  }

  private static List<String> literals(String command) {
    List<String> found = new ArrayList<>();
    Matcher matcher = LITERAL.matcher(command);
    while (matcher.find()) {
      found.add(matcher.group(1).replace("''", "'"));
    }
    return found;
  }

  private static String quoted(String command) {
    Matcher matcher = QUOTED.matcher(command);
    return matcher.find() ? matcher.group(1).replace("\"\"", "\"") : "";
  }

  @Override
  public void close() throws Exception {
    server.close();
  }
}
