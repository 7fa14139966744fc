package dev.millrace.publisher.walsender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.database.ExportedSnapshots;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.database.PublisherNode.ConsistentPoint;
import dev.millrace.publisher.database.PublisherNode.PinnedSnapshot;
import dev.millrace.publisher.decoding.LogicalDecoding;
import dev.millrace.publisher.decoding.OutputWriter;
import dev.millrace.publisher.slots.ReplicationSlot;
import dev.millrace.publisher.slots.SlotStore;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.replication.ReplicationCommandParser;
import dev.millrace.replication.StandbyStatusUpdate;
import dev.millrace.settings.SettingTable;
import dev.millrace.settings.Settings;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands of a walsender session over a node of the test's own (T1, T4, C5). */
class ReplicationSessionTest {

  private static final long PID = 7;

  @TempDir Path root;
  private final RecordingClient client = new RecordingClient();
  private final PublisherNode node = mock(PublisherNode.class);
  private final WriteAheadLog log = mock(WriteAheadLog.class);
  private final LogicalDecoding decoding = mock(LogicalDecoding.class);
  private final CatalogStore catalog = mock(CatalogStore.class);
  private SlotStore slots;
  private ReplicationSession session;
  private Connection database;
  private int openSnapshots;
  private final ExportedSnapshots exportedSnapshots = new ExportedSnapshots();

  @BeforeEach
  void begin() throws Exception {
    slots = SlotStore.open(root, () -> 10, Clock.systemUTC());
    database = DriverManager.getConnection("jdbc:h2:mem:;MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE");
    when(node.databaseName()).thenReturn("testdb");
    when(node.systemIdentifier()).thenReturn("7123456789012345678");
    when(node.createConsistentPoint(anyBoolean()))
        .thenAnswer(
            call -> new ConsistentPoint(0x300, 0x200, 740, call.getArgument(0) ? pin() : null));
    when(node.exportedSnapshots()).thenReturn(exportedSnapshots);
    when(log.flushLsn()).thenReturn(0x300L);
    when(log.awaitFlushBeyond(anyLong(), anyLong())).thenReturn(0x300L);
    session = session(new Settings(SettingTable.definitions(), Map.of()));
  }

  private ReplicationSession session(Settings settings) {
    SlotCreation creation = new SlotCreation(slots, node, log, decoding, settings);
    SessionServices services =
        new SessionServices(node, catalog, log, slots, creation, decoding, Clock.systemUTC());
    return new ReplicationSession(
        PID,
        new PeerIdentity("mysub", "127.0.0.1", 4711),
        client,
        services,
        settings.forSession(),
        ReplicationCommandParser::parse);
  }

  private PinnedSnapshot pin() {
    openSnapshots++;
    return new PinnedSnapshot() {
      @Override
      public Connection connection() {
        return database;
      }

      @Override
      public void describe(String holder) {
        assertThat(holder).isEqualTo("walsender 7");
      }

      @Override
      public void close() {
        openSnapshots--;
      }
    };
  }

  @AfterEach
  void end() throws SQLException {
    session.free();
    assertThat(openSnapshots).isZero();
    database.close();
  }

  private String answer(String command) {
    int before = client.heard.size();
    session.execute(command);
    assertThat(client.heard.size()).isGreaterThan(before);
    return client.heard.get(client.heard.size() - 1);
  }

  private void existing(String name) {
    ReplicationSlot slot =
        new SlotCreation(slots, node, log, decoding, settings())
            .create(name, "pgoutput", new SlotCreation.SlotOptions(false, false, false), 99, false)
            .slot();
    slots.release(slot);
  }

  private static Settings settings() {
    return new Settings(SettingTable.definitions(), Map.of());
  }

  @Test
  @DisplayName("IDENTIFY_SYSTEM gives system identifier, timeline, flush position and database")
  void identifySystem() {
    assertThat(answer("IDENTIFY_SYSTEM"))
        .isEqualTo(
            "result [systemid, timeline, xlogpos, dbname] [[7123456789012345678, 1, 0/300,"
                + " testdb]]");
  }

  @Test
  @DisplayName("SHOW gives the session's value with its unit")
  void show() {
    assertThat(answer("SHOW wal_sender_timeout")).isEqualTo("result [wal_sender_timeout] [[1min]]");
    assertThat(answer("SHOW nonsense")).startsWith("error 42704");
  }

  @Test
  @DisplayName(
      "CREATE_REPLICATION_SLOT answers with the consistent point once the state is on disk")
  void create() {
    assertThat(answer("CREATE_REPLICATION_SLOT \"s\" LOGICAL pgoutput (SNAPSHOT 'nothing')"))
        .isEqualTo(
            "result [slot_name, consistent_point, snapshot_name, output_plugin] [[s, 0/300, null,"
                + " pgoutput]]");
    ReplicationSlot onDisk = SlotStore.open(root, () -> 10, Clock.systemUTC()).find("s");
    assertThat(onDisk.confirmedFlushLsn()).isEqualTo(0x300);
    assertThat(onDisk.restartLsn()).isEqualTo(0x200);
    assertThat(onDisk.catalogXmin()).isEqualTo(740);
    assertThat(slots.find("s").activePid()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'use') | 25P01",
        "CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'other') | 42601",
        "CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'nothing', TWO_PHASE 'x') | 42601",
        "CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'nothing', FAILOVER) | 0A000",
        "CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'nothing', BOGUS) | 42601",
        "CREATE_REPLICATION_SLOT \"Bad\" LOGICAL pgoutput (SNAPSHOT 'nothing') | 42602",
        "CREATE_REPLICATION_SLOT s PHYSICAL | 0A000",
        "CREATE_REPLICATION_SLOT taken LOGICAL pgoutput (SNAPSHOT 'nothing') | 42710",
        "READ_REPLICATION_SLOT taken | 0A000",
        "ALTER_REPLICATION_SLOT taken (FAILOVER) | 0A000",
        "ALTER_REPLICATION_SLOT absent (FAILOVER false) | 42704",
        "DROP_REPLICATION_SLOT absent | 42704",
        "START_REPLICATION SLOT absent LOGICAL 0/0 | 42704",
        "START_REPLICATION SLOT taken LOGICAL X/Y | 42601",
        "START_REPLICATION PHYSICAL 0/0 | 0A000",
        "COPY public.absent TO STDOUT | 42P01",
        "NONSENSE | 42601",
        "'' | 42601"
      })
  @DisplayName(
      "R2: what cannot be done gets a clear error, leaves nothing, and the session goes on")
  void refused(String command, String sqlState) {
    existing("taken");
    when(catalog.current()).thenReturn(new CatalogSnapshot(0, Map.of(), Map.of(), Map.of()));
    assertThat(answer(command)).startsWith("error " + sqlState + " ");
    assertThat(slots.all()).hasSize(1);
    assertThat(slots.find("taken").activePid()).isZero();
    assertThat(answer("IDENTIFY_SYSTEM")).startsWith("result");
  }

  @Test
  @DisplayName("T4: an exported snapshot's name is good until the session's next command")
  void exportEnds() {
    String exported = answer("CREATE_REPLICATION_SLOT s LOGICAL pgoutput");
    assertThat(exported).contains("00000007-00000001-1");
    assertThat(openSnapshots).isEqualTo(1);
    assertThat(answer("BEGIN ISOLATION LEVEL REPEATABLE READ")).isEqualTo("command BEGIN");
    assertThat(openSnapshots).isZero();
    assertThat(answer("SET TRANSACTION SNAPSHOT '00000007-00000001-1'"))
        .startsWith("error 42704 snapshot \"00000007-00000001-1\" does not exist");
    answer("ROLLBACK");
    answer("BEGIN ISOLATION LEVEL REPEATABLE READ");
    assertThat(answer("CREATE_REPLICATION_SLOT s2 LOGICAL pgoutput")).startsWith("error 25001");
  }

  @Test
  @DisplayName("an unknown plugin is refused before a slot is made")
  void unknownPlugin() {
    doThrow(new PgException("58P01", "could not access file \"x\": No such file or directory"))
        .when(decoding)
        .requirePlugin("x");
    assertThat(answer("CREATE_REPLICATION_SLOT s LOGICAL x (SNAPSHOT 'nothing')"))
        .startsWith("error 58P01");
    assertThat(slots.all()).isEmpty();
  }

  @Test
  @DisplayName("a slot whose creation fails at the consistent point is gone")
  void failedCreation() {
    doThrow(new PgException("58030", "disk")).when(log).flush(anyLong());
    assertThat(answer("CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'nothing')"))
        .isEqualTo("error 58030 disk");
    assertThat(slots.all()).isEmpty();
    assertThat(root.resolve("s")).doesNotExist();
  }

  @Test
  @DisplayName("wal_level below logical: no logical slots")
  void walLevel() {
    session = session(new Settings(SettingTable.definitions(), Map.of("wal_level", "replica")));
    assertThat(answer("CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'nothing')"))
        .isEqualTo("error 55000 logical decoding requires \"wal_level\" >= \"logical\"");
  }

  @Test
  @DisplayName("a temporary slot goes with the session's first error")
  void temporarySlotAndError() {
    answer("CREATE_REPLICATION_SLOT t TEMPORARY LOGICAL pgoutput (SNAPSHOT 'nothing')");
    assertThat(slots.find("t").temporary()).isTrue();
    assertThat(slots.find("t").activePid()).isEqualTo(PID);
    answer("NONSENSE");
    assertThat(slots.find("t")).isNull();
  }

  @Test
  @DisplayName("a temporary slot goes with its session")
  void temporarySlotAndEnd() {
    answer("CREATE_REPLICATION_SLOT t TEMPORARY LOGICAL pgoutput (SNAPSHOT 'nothing')");
    session.free();
    assertThat(slots.all()).isEmpty();
  }

  @Test
  @DisplayName("DROP_REPLICATION_SLOT of a slot in use is refused, with WAIT it waits")
  void drop() throws Exception {
    existing("s");
    ReplicationSlot held = slots.acquire("s", 99, "testdb");
    assertThat(answer("DROP_REPLICATION_SLOT s"))
        .isEqualTo("error 55006 replication slot \"s\" is active for PID 99");
    CompletableFuture<Void> waiting =
        CompletableFuture.runAsync(() -> session.execute("DROP_REPLICATION_SLOT s WAIT"));
    slots.release(held);
    waiting.get(10, TimeUnit.SECONDS);
    assertThat(client.heard).last().isEqualTo("command DROP_REPLICATION_SLOT");
    assertThat(slots.find("s")).isNull();
  }

  @Test
  @DisplayName("DROP .. WAIT gives up when its session ends")
  void dropGivesUp() throws Exception {
    existing("s");
    slots.acquire("s", 99, "testdb");
    CompletableFuture<Void> waiting =
        CompletableFuture.runAsync(() -> session.execute("DROP_REPLICATION_SLOT s WAIT"));
    session.close();
    waiting.get(10, TimeUnit.SECONDS);
    assertThat(slots.find("s")).isNotNull();
  }

  @Test
  @DisplayName("T4: a slot made with SNAPSHOT 'use' gives its transaction the slot's snapshot")
  void useSnapshot() throws SQLException {
    table();
    assertThat(answer("BEGIN READ ONLY ISOLATION LEVEL REPEATABLE READ"))
        .isEqualTo("command BEGIN");
    assertThat(openSnapshots).isZero();
    assertThat(answer("CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'use')"))
        .startsWith("result");
    assertThat(openSnapshots).isEqualTo(1);
    answer("COPY public.t (id, name) TO STDOUT");
    assertThat(client.heard.subList(2, client.heard.size()))
        .containsExactly(
            "copy out",
            "row 1\tfoo\n",
            "row 2\t\\N\n",
            "row 3\ta\\tb\\\\\n",
            "done",
            "command COPY 3");
    assertThat(answer("COMMIT")).isEqualTo("command COMMIT");
    assertThat(openSnapshots).isZero();
  }

  @Test
  @DisplayName("T4: SNAPSHOT 'use' must be the first command of a REPEATABLE READ transaction")
  void useSnapshotTooLate() throws SQLException {
    table();
    answer("BEGIN READ ONLY ISOLATION LEVEL REPEATABLE READ");
    answer("COPY public.t (id) TO STDOUT");
    assertThat(answer("CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'use')"))
        .startsWith("error 25001")
        .endsWith("must be called before any query");
    assertThat(answer("COPY public.t (id) TO STDOUT")).startsWith("error 25P02");
    assertThat(answer("COMMIT")).isEqualTo("command ROLLBACK");
    assertThat(slots.all()).isEmpty();
  }

  @Test
  @DisplayName("a copy outside a transaction has a snapshot of its own")
  void copyAlone() throws SQLException {
    table();
    answer("COPY public.t TO STDOUT");
    assertThat(client.heard)
        .startsWith("copy out", "row 1\tfoo\n")
        .endsWith("done", "command COPY 3");
    assertThat(openSnapshots).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "COPY public.t (id, nope) TO STDOUT | 42703",
        "COPY public.t (id, id) TO STDOUT | 42701",
        "COPY public.t (twice) TO STDOUT | 42P10",
        "COPY public.t TO STDOUT WITH (FORMAT binary) | 0A000"
      })
  @DisplayName("R2: a copy that cannot be made is refused before it starts")
  void refusedCopy(String command, String sqlState) throws SQLException {
    table();
    assertThat(answer(command)).startsWith("error " + sqlState);
    assertThat(client.heard).hasSize(1);
  }

  private void table() throws SQLException {
    try (Statement statement = database.createStatement()) {
      statement.execute(
          "create table public.t (id int primary key, name text, twice int generated always as (id *"
              + " 2))");
      statement.execute("insert into public.t (id, name) values (1,'foo'), (2,null), (3,'a\tb\\')");
    }
    RelationDefinition relation =
        new RelationDefinition(
            16400,
            1,
            new QualifiedName("public", "t"),
            List.of(column(1, "id", 23, 0), column(2, "name", 25, 0), column(3, "twice", 23, 's')),
            List.of(),
            ReplicaIdentity.DEFAULT,
            0);
    when(catalog.current())
        .thenReturn(new CatalogSnapshot(0, Map.of(16400, relation), Map.of(), Map.of()));
  }

  private static ColumnDefinition column(int attnum, String name, int type, int generated) {
    return new ColumnDefinition(attnum, name, type, -1, false, (char) 0, (char) generated);
  }

  @Test
  @DisplayName("a stream starts, takes status updates, ends with CopyDone and frees its slot")
  void stream() throws Exception {
    existing("s");
    ScriptedDecoding[] script = new ScriptedDecoding[1];
    when(decoding.start(any(), anyLong(), any(), any(), any()))
        .thenAnswer(
            call -> {
              script[0] = new ScriptedDecoding((OutputWriter) call.getArgument(3), 0x300);
              return script[0].commit(0x400, 0x310, "B", 0x400, "C");
            });
    CompletableFuture<Void> streaming =
        CompletableFuture.runAsync(
            () -> session.execute("START_REPLICATION SLOT s LOGICAL 0/0 (proto_version '1')"));
    Awaitility.await().until(() -> client.heard.contains("data 0/400 C"));
    assertThat(client.heard).startsWith("copy both");
    assertThat(session.copying()).isEqualTo(ReplicationSession.Copying.BOTH);
    assertThat(slots.find("s").activePid()).isEqualTo(PID);
    assertThat(session.view().slotName()).isEqualTo("s");
    Awaitility.await().until(() -> session.view().state().equals("streaming"));
    session.statusUpdate(new StandbyStatusUpdate(0x400, 0x400, 0x400, 0, false));
    assertThat(slots.find("s").confirmedFlushLsn()).isEqualTo(0x400);
    session.copyDone();
    streaming.get(10, TimeUnit.SECONDS);
    assertThat(client.heard).endsWith("done", "command START_REPLICATION");
    assertThat(script[0].closed).isTrue();
    assertThat(slots.find("s").activePid()).isZero();
    assertThat(session.view().state()).isEqualTo("startup");
  }

  @Test
  @DisplayName("an error of the stream releases the slot before the error is sent")
  void streamFails() throws Exception {
    existing("s");
    when(decoding.start(any(), anyLong(), any(), any(), any()))
        .thenAnswer(
            call ->
                new ScriptedDecoding((OutputWriter) call.getArgument(3), 0x300)
                    .commit(
                        0x400,
                        () -> {
                          assertThat(slots.find("s").activePid()).isEqualTo(PID);
                          throw new PgException("XX000", "broken");
                        }));
    assertThat(answer("START_REPLICATION SLOT s LOGICAL 0/0")).isEqualTo("error XX000 broken");
    assertThat(slots.find("s").activePid()).isZero();
    assertThat(session.copying()).isEqualTo(ReplicationSession.Copying.NONE);
  }

  @Test
  @DisplayName("T1: a confirmation beyond what was sent ends the stream with a protocol error")
  void confirmsTooMuch() throws Exception {
    existing("s");
    when(decoding.start(any(), anyLong(), any(), any(), any()))
        .thenAnswer(call -> new ScriptedDecoding((OutputWriter) call.getArgument(3), 0x300));
    CompletableFuture<Void> streaming =
        CompletableFuture.runAsync(() -> session.execute("START_REPLICATION SLOT s LOGICAL 0/0"));
    Awaitility.await().until(() -> client.heard.contains("copy both"));
    session.statusUpdate(new StandbyStatusUpdate(0x301, 0x301, 0x301, 0, false));
    streaming.get(10, TimeUnit.SECONDS);
    assertThat(client.heard).last().asString().startsWith("error 08P01");
    assertThat(slots.find("s").confirmedFlushLsn()).isEqualTo(0x300);
  }

  @Test
  @DisplayName("a slot in use is refused to a second session with who holds it")
  void secondReader() {
    existing("s");
    slots.acquire("s", 99, "testdb");
    assertThat(answer("START_REPLICATION SLOT s LOGICAL 0/0"))
        .isEqualTo("error 55006 replication slot \"s\" is active for PID 99");
  }

  @Test
  @DisplayName("a session that is to stop takes no more commands")
  void stopped() {
    session.stop();
    assertThat(answer("IDENTIFY_SYSTEM")).startsWith("error 57P01");
  }
}
