package dev.millrace.subscriber.fake;

import dev.millrace.model.Lsn;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.pgoutput.PgOutputMessage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * A publisher in memory that speaks the real protocol over a real WebSocket: tables, a log of
 * committed transactions, slots with snapshots. What tests make it say is what a correct publisher
 * would. Safe for any thread.
 */
public final class ModelPublisher implements AutoCloseable {

  /** A published table; rows are text values, the key is the first column. */
  static final class Table {
    final int oid;
    final String name;
    final String[] columns;
    final Map<String, String[]> rows = new LinkedHashMap<>();

    Table(int oid, String name, String[] columns) {
      this.oid = oid;
      this.name = name;
      this.columns = columns;
    }
  }

  /** A change of a committed transaction. */
  record Change(Table table, PgOutputMessage message) {}

  record Transaction(long commitLsn, long endLsn, int xid, List<Change> changes) {}

  static final class Slot {
    long confirmedLsn;
    boolean active;
    Map<String, List<String[]>> snapshot = Map.of();
  }

  final Map<String, Table> tables = new LinkedHashMap<>();
  final List<Transaction> log = new ArrayList<>();
  final Map<String, Slot> slots = new LinkedHashMap<>();
  final Set<String> unpublished = ConcurrentHashMap.newKeySet();
  private final List<String> commands = new CopyOnWriteArrayList<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<long[]> feedback = new CopyOnWriteArrayList<>();
  volatile boolean frozen;
  private volatile Consumer<String> onCommand = command -> {};
  private final WebSocketServer server;
  private long insertLsn = 0x1000000;
  private int nextXid = 731;

  public ModelPublisher() throws IOException {
    server = new WebSocketServer(peer -> new ModelSession(this, peer).run());
  }

  public String connection() {
    return server.connection();
  }

  /** Cuts all connections and refuses new ones until {@link #restart}. */
  public void kill() throws IOException {
    server.dead(true);
    synchronized (this) {
      slots.values().forEach(slot -> slot.active = false);
    }
  }

  public void restart() throws IOException {
    server.dead(false);
  }

  /** Cuts all connections; new ones are welcome. */
  public void cut() throws IOException {
    server.cutAll();
  }

  /** Called with each command before it is answered; may block, or throw what to answer. */
  public void onCommand(Consumer<String> action) {
    onCommand = action;
  }

  /** While frozen, streams say nothing at all, though their connections live. */
  public void freeze(boolean on) {
    frozen = on;
  }

  void command(String command) {
    commands.add(command);
    onCommand.accept(command);
  }

  void request(String line) {
    requests.add(line);
  }

  public List<String> commands() {
    return commands;
  }

  public List<String> requests() {
    return requests;
  }

  /** Write, flush, apply of each status update, in order. */
  public List<long[]> feedback() {
    return feedback;
  }

  public synchronized void createTable(String name, String... columns) {
    tables.put(name, new Table(50_000 + tables.size(), name, columns));
  }

  public void unpublish(String table) {
    unpublished.add(table);
  }

  public synchronized void createSlot(String name) {
    Slot slot = new Slot();
    slot.confirmedLsn = insertLsn;
    slots.put(name, slot);
  }

  public synchronized List<String> slotNames() {
    return List.copyOf(slots.keySet());
  }

  public synchronized long confirmedLsn(String slot) {
    return slots.get(slot).confirmedLsn;
  }

  public synchronized long currentLsn() {
    return insertLsn;
  }

  /** Rows of a table, columns parted by a comma, by key. */
  public synchronized List<String> rows(String table) {
    return tables.get(table).rows.values().stream()
        .map(row -> String.join(",", Arrays.stream(row).map(String::valueOf).toList()))
        .sorted()
        .toList();
  }

  /** Changes of one transaction, written as they are called. */
  public final class Writing {
    private final List<Change> changes = new ArrayList<>();

    public Writing insert(String table, String... row) {
      Table target = tables.get(table);
      target.rows.put(row[0], row);
      return add(target, Messages.insert(target.oid, row));
    }

    public Writing update(String table, String... row) {
      Table target = tables.get(table);
      target.rows.put(row[0], row);
      return add(target, Messages.update(target.oid, row));
    }

    public Writing delete(String table, String key) {
      Table target = tables.get(table);
      target.rows.remove(key);
      String[] old = new String[target.columns.length];
      old[0] = key;
      return add(target, Messages.delete(target.oid, 'K', old));
    }

    private Writing add(Table target, PgOutputMessage message) {
      changes.add(new Change(target, message));
      return this;
    }
  }

  /** Commits one transaction; returns its end LSN. */
  public synchronized long commit(Consumer<Writing> work) {
    Writing writing = new Writing();
    work.accept(writing);
    long commitLsn = insertLsn + 0x40L * writing.changes.size();
    insertLsn = commitLsn + 0x30;
    log.add(new Transaction(commitLsn, insertLsn, nextXid++, writing.changes));
    notifyAll();
    return insertLsn;
  }

  /** Moves the log's end without a published change. */
  public synchronized long idleWrite() {
    insertLsn += 0x100;
    notifyAll();
    return insertLsn;
  }

  void confirmed(String slotName, long writeLsn, long flushLsn, long applyLsn) {
    feedback.add(new long[] {writeLsn, flushLsn, applyLsn});
    synchronized (this) {
      Slot slot = slots.get(slotName);
      if (slot != null) {
        slot.confirmedLsn = Lsn.max(slot.confirmedLsn, flushLsn);
      }
    }
  }

  boolean isPublished(Table table) {
    return !unpublished.contains(table.name);
  }

  static PgOutputMessage relationOf(Table table) {
    String[] columns = table.columns.clone();
    columns[0] += "*";
    return Messages.relation(table.oid, table.name, ReplicaIdentity.DEFAULT, columns);
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
