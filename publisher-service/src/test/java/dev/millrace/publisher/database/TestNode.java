package dev.millrace.publisher.database;

import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.catalog.MemoryProjection;
import dev.millrace.publisher.catalog.VersionedCatalog;
import dev.millrace.publisher.origin.ReplicationOrigins;
import dev.millrace.publisher.wal.ControlFile;
import dev.millrace.publisher.wal.SegmentedLog;
import dev.millrace.publisher.wal.WalOptions;
import dev.millrace.settings.SettingTable;
import dev.millrace.settings.Settings;
import dev.millrace.sql.SqlResponse;
import dev.millrace.sql.SqlSession;
import dev.millrace.sql.StatementResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A node in a directory without a service around it. Its log is never cut off, so that the
 * catalogue's projection can be in memory: what it would hold is read from the log at the start.
 */
final class TestNode implements AutoCloseable {

  private final ControlFile control;
  private final SegmentedLog log;
  private final VersionedCatalog catalog;
  private final Settings settings;
  private final ReplicationOrigins origins;
  private final EmbeddedNode node;

  private TestNode(
      Path directory, MemoryProjection projection, Map<String, String> given, Clock clock) {
    WalOptions options = WalOptions.defaults().withSegmentSize(1 << 20).withBufferSize(1 << 20);
    control = ControlFile.open(directory, "testdb", options);
    log =
        SegmentedLog.open(
            directory.resolve("pg_wal"),
            options.withSegmentSize(control.state().segmentSize()),
            control.state().redoLsn(),
            control.state().flushedLsn(),
            TestNode::failed);
    catalog = projection.open(log, control::nextOid);
    CatalogReplay.upTo(log, catalog, control.state().redoLsn());
    settings = new Settings(SettingTable.definitions(), new HashMap<>(given));
    origins = ReplicationOrigins.open(directory, () -> 10);
    node =
        new NodeStart(
                directory,
                log,
                control,
                catalog,
                settings,
                clock,
                () -> null,
                origins,
                TestNode::failed)
            .start();
  }

  private static void failed(Throwable failure) {
    throw new AssertionError("the node failed", failure);
  }

  static TestNode open(Path directory) {
    return open(directory, Map.of());
  }

  /** A new node; {@code given} are settings by name. */
  static TestNode open(Path directory, Map<String, String> given) {
    return open(directory, given, Clock.systemUTC());
  }

  static TestNode open(Path directory, Map<String, String> given, Clock clock) {
    return new TestNode(directory, new MemoryProjection(), given, clock);
  }

  /** The files as a kill at this moment would leave them, if nobody writes meanwhile. */
  static Path copyAsAfterKill(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
    return to;
  }

  EmbeddedNode node() {
    return node;
  }

  ReplicationOrigins origins() {
    return origins;
  }

  EmbeddedDatabase database() {
    return node.database();
  }

  SegmentedLog log() {
    return log;
  }

  CatalogStore catalog() {
    return catalog;
  }

  Settings settings() {
    return settings;
  }

  SqlSession session() {
    return node.open();
  }

  /** Runs one call in a session of its own. */
  SqlResponse run(String sql) {
    try (SqlSession session = node.open()) {
      return session.execute(sql, List.of());
    }
  }

  /** The rows of a query as text, columns joined by {@code |}. */
  List<String> rows(String query) {
    StatementResult result = run(query).results().get(0);
    return result.rows().stream()
        .map(row -> row.stream().map(String::valueOf).collect(Collectors.joining("|")))
        .toList();
  }

  RelationDefinition table(String name) {
    return catalog.current().relation(new QualifiedName("public", name));
  }

  /** What the log holds from a position on. */
  LogText logFrom(long lsn) {
    log.flush(log.insertLsn());
    return LogText.read(log, catalog, lsn);
  }

  /** A clean stop. */
  @Override
  public void close() {
    node.close();
    catalog.close();
    log.close();
    control.releaseBlocks();
  }
}
