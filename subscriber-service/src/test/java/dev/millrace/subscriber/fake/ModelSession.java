package dev.millrace.subscriber.fake;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One walsender session of a {@link ModelPublisher}. */
final class ModelSession {

  private static final Pattern NAME = Pattern.compile("\"([^\"]+)\"");
  private static final Pattern START = Pattern.compile("LOGICAL ([0-9A-F]+/[0-9A-F]+)");
  private static final byte[] COPY_DONE = {'c', 0, 0, 0, 4};

  private final ModelPublisher publisher;
  private final WebSocketPeer peer;
  private Map<String, List<String[]>> snapshot = Map.of();
  private ModelPublisher.Slot used;
  private volatile boolean replyRequested;
  private volatile boolean copyDone;

  ModelSession(ModelPublisher publisher, WebSocketPeer peer) {
    this.publisher = publisher;
    this.peer = peer;
  }

  void run() throws Exception {
    publisher.request(peer.requestLine());
    try {
      while (true) {
        String command = peer.read().text();
        try {
          publisher.command(command);
          answer(command);
        } catch (PgException error) {
          peer.sendText(
              "{\"error\":{\"sqlstate\":\"%s\",\"message\":\"%s\"}}"
                  .formatted(error.sqlState(), error.getMessage().replace("\"", "\\\"")));
        }
      }
    } finally {
      release();
    }
  }

  private void release() {
    synchronized (publisher) {
      if (used != null) {
        used.active = false;
        used = null;
        publisher.notifyAll();
      }
    }
  }

  private void answer(String command) throws Exception {
    if (command.equals("IDENTIFY_SYSTEM")) {
      rows("systemid,timeline,xlogpos,dbname", "\"7\",1,\"0/1\",\"testdb\"");
    } else if (command.startsWith("BEGIN") || command.equals("COMMIT")) {
      peer.sendText("{\"command\":\"" + command.split(" ")[0] + "\"}");
    } else if (command.startsWith("CREATE_REPLICATION_SLOT")) {
      createSlot(command);
    } else if (command.startsWith("DROP_REPLICATION_SLOT")) {
      dropSlot(name(command));
    } else if (command.startsWith("SELECT pubname FROM pg_publication ")) {
      rows("pubname", "\"pub\""); // The only publication.
    } else if (command.startsWith("SELECT slot_name FROM pg_replication_slots")) {
      String slot = command.substring(command.indexOf('\'') + 1, command.lastIndexOf('\''));
      boolean exists = publisher.slotNames().contains(slot);
      rows("slot_name", exists ? new String[] {'"' + slot + '"'} : new String[0]);
    } else if (command.startsWith("SELECT pubname, schemaname")) {
      publishedTables();
    } else if (command.startsWith("SELECT a.attname FROM pg_attribute")) {
      rows("attname"); // No column is generated.
    } else if (command.startsWith("SELECT count(*)")) {
      String table = command.substring(command.lastIndexOf('.') + 1);
      rows("count", String.valueOf(snapshot.get(table).size()));
    } else if (command.startsWith("COPY ")) {
      copy(command);
    } else if (command.startsWith("START_REPLICATION")) {
      stream(command);
    } else {
      throw new PgException("42601", "unknown command " + command);
    }
  }

  private static String name(String command) {
    Matcher matcher = NAME.matcher(command);
    matcher.find();
    return matcher.group(1);
  }

  private void rows(String columns, String... rows) throws IOException {
    List<String> described = new ArrayList<>();
    for (String column : columns.split(",")) {
      described.add("{\"name\":\"" + column + "\",\"type\":\"text\"}");
    }
    List<String> values = new ArrayList<>();
    for (String row : rows) {
      values.add("[" + row + "]");
    }
    peer.sendText(
        "{\"columns\":["
            + String.join(",", described)
            + "],\"rows\":["
            + String.join(",", values)
            + "]}");
  }

  private void createSlot(String command) throws IOException {
    String slotName = name(command);
    long consistentLsn;
    synchronized (publisher) {
      if (publisher.slots.containsKey(slotName)) {
        throw new PgException("42710", "replication slot \"" + slotName + "\" already exists");
      }
      publisher.createSlot(slotName);
      snapshot = new java.util.HashMap<>();
      publisher.tables.forEach(
          (table, content) -> snapshot.put(table, List.copyOf(content.rows.values())));
      consistentLsn = publisher.slots.get(slotName).confirmedLsn;
    }
    rows(
        "slot_name,consistent_point,snapshot_name,output_plugin",
        "\"" + slotName + "\",\"" + Lsn.format(consistentLsn) + "\",null,\"pgoutput\"");
  }

  private void dropSlot(String slotName) throws IOException {
    synchronized (publisher) {
      if (publisher.slots.remove(slotName) == null) {
        throw new PgException("42704", "replication slot \"" + slotName + "\" does not exist");
      }
    }
    peer.sendText("{\"command\":\"DROP_REPLICATION_SLOT\"}");
  }

  private void publishedTables() throws IOException {
    List<String> rows = new ArrayList<>();
    synchronized (publisher) {
      for (ModelPublisher.Table table : publisher.tables.values()) {
        if (publisher.isPublished(table)) {
          rows.add(
              "\"pub\",\"public\",\"%s\",\"{%s}\",null"
                  .formatted(table.name, String.join(",", table.columns)));
        }
      }
    }
    rows("pubname,schemaname,tablename,attnames,rowfilter", rows.toArray(String[]::new));
  }

  private void copy(String command) throws IOException {
    String table = command.substring(command.indexOf('.') + 1, command.indexOf(" ("));
    peer.sendText("{\"command\":\"COPY\",\"mode\":\"out\"}");
    ByteBuilder frame = new ByteBuilder(1 << 16);
    for (String[] row : snapshot.get(table)) {
      List<String> fields = new ArrayList<>();
      for (String value : row) {
        fields.add(
            value == null
                ? "\\N"
                : value
                    .replace("\\", "\\\\")
                    .replace("\t", "\\t")
                    .replace("\n", "\\n")
                    .replace("\r", "\\r"));
      }
      copyData(frame, (String.join("\t", fields) + "\n").getBytes(StandardCharsets.UTF_8));
      if (frame.size() > 32_000) {
        send(frame);
      }
    }
    frame.putBytes(COPY_DONE, 0, COPY_DONE.length);
    send(frame);
    peer.sendText("{\"command\":\"COPY " + snapshot.get(table).size() + "\"}");
  }

  private static void copyData(ByteBuilder frame, byte[] payload) {
    frame.putByte('d').putInt(payload.length + 4).putBytes(payload, 0, payload.length);
  }

  private void send(ByteBuilder frame) throws IOException {
    if (frame.size() > 0) {
      peer.sendBinary(Arrays.copyOf(frame.array(), frame.size()));
      frame.truncate(0);
    }
  }

  private void stream(String command) throws Exception {
    String slotName = name(command);
    long startLsn;
    synchronized (publisher) {
      ModelPublisher.Slot slot = publisher.slots.get(slotName);
      if (slot == null) {
        throw new PgException("42704", "replication slot \"" + slotName + "\" does not exist");
      }
      if (slot.active) {
        throw new PgException("55006", "replication slot \"" + slotName + "\" is active for PID 1");
      }
      slot.active = true;
      used = slot;
      Matcher matcher = START.matcher(command);
      matcher.find();
      startLsn = Lsn.max(Lsn.parse(matcher.group(1)).value(), slot.confirmedLsn);
    }
    peer.sendText("{\"command\":\"COPY\",\"mode\":\"both\"}");
    copyDone = false;
    Thread writer = new Thread(() -> write(startLsn), "fake-walsender-writer");
    writer.setDaemon(true);
    writer.start();
    try {
      readFeedback(slotName);
    } finally {
      copyDone = true;
      synchronized (publisher) {
        publisher.notifyAll();
      }
      writer.join();
    }
    peer.sendBinary(COPY_DONE);
    release();
    peer.sendText("{\"command\":\"START_REPLICATION\"}");
  }

  private void readFeedback(String slotName) throws IOException {
    while (true) {
      byte[] message = peer.read().binary();
      if (message[0] == 'c') {
        return;
      }
      ByteBuffer status = ByteBuffer.wrap(message, 6, message.length - 6);
      publisher.confirmed(slotName, status.getLong(), status.getLong(), status.getLong());
      if (message[message.length - 1] == 1) {
        replyRequested = true;
        synchronized (publisher) {
          publisher.notifyAll();
        }
      }
    }
  }

  private void write(long startLsn) {
    Set<Integer> described = new HashSet<>();
    int next = 0;
    long reportedLsn = 0;
    try {
      while (!copyDone) {
        ModelPublisher.Transaction transaction = null;
        long currentLsn;
        synchronized (publisher) {
          if (next == publisher.log.size()
              && reportedLsn == publisher.currentLsn()
              && !replyRequested
              && !copyDone) {
            publisher.wait(1000);
          }
          currentLsn = publisher.currentLsn();
          if (publisher.frozen) {
            publisher.wait(20);
            continue;
          }
          if (next < publisher.log.size()) {
            transaction = publisher.log.get(next++);
          }
        }
        if (transaction == null) {
          replyRequested = false;
          reportedLsn = currentLsn;
          keepalive(currentLsn);
        } else if (!Lsn.isBefore(transaction.commitLsn(), startLsn)) {
          transaction(transaction, described);
        }
      }
    } catch (IOException | InterruptedException gone) {
      copyDone = true;
    }
  }

  private void keepalive(long lsn) throws IOException {
    ByteBuilder frame = new ByteBuilder(32);
    ByteBuilder payload = new ByteBuilder(18);
    payload.putByte('k').putLong(lsn).putLong(1).putByte(0);
    copyData(frame, Arrays.copyOf(payload.array(), payload.size()));
    send(frame);
  }

  private void transaction(ModelPublisher.Transaction transaction, Set<Integer> described)
      throws IOException {
    List<byte[]> messages = new ArrayList<>();
    for (ModelPublisher.Change change : transaction.changes()) {
      if (publisher.isPublished(change.table())) {
        if (described.add(change.table().oid)) {
          messages.add(Messages.bytes(ModelPublisher.relationOf(change.table())));
        }
        messages.add(Messages.bytes(change.message()));
      }
    }
    if (messages.isEmpty()) {
      return;
    }
    ByteBuilder frame = new ByteBuilder(1 << 12);
    xlogData(
        frame,
        transaction.commitLsn(),
        Messages.bytes(Messages.begin(transaction.commitLsn(), transaction.xid())));
    for (byte[] message : messages) {
      xlogData(frame, transaction.commitLsn() - 1, message);
      if (frame.size() > 32_000) {
        send(frame);
      }
    }
    xlogData(
        frame,
        transaction.endLsn(),
        Messages.bytes(Messages.commit(transaction.commitLsn(), transaction.endLsn())));
    send(frame);
  }

  private static void xlogData(ByteBuilder frame, long lsn, byte[] message) {
    ByteBuilder payload = new ByteBuilder(message.length + 25);
    payload.putByte('w').putLong(lsn).putLong(lsn).putLong(1).putBytes(message, 0, message.length);
    copyData(frame, Arrays.copyOf(payload.array(), payload.size()));
  }
}
