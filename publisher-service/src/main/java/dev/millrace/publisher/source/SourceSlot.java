package dev.millrace.publisher.source;

import dev.millrace.model.FaultPoint;
import dev.millrace.model.Identifiers;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.database.ForeignTransactions;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.postgresql.PGConnection;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;
import org.postgresql.replication.fluent.logical.ChainedLogicalStreamBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the slot at the first connection and opens it at every later one, where the log ends.
 *
 * <p>Before anything is read it is made sure that the server is the one this log came from, and
 * that the slot still holds back what comes next. A slot that is gone is never made again silently:
 * what was committed meanwhile would be missing, and no consumer could know.
 *
 * <p>One thread.
 */
final class SourceSlot {

  private static final Logger LOG = LoggerFactory.getLogger(SourceSlot.class);
  private static final int STATUS_INTERVAL_S = 10;

  private final SourceServer server;
  private final SourceProperties properties;
  private final ForeignTransactions log;
  private final SourcePublication publication;
  private final Path file;

  SourceSlot(
      SourceServer server,
      SourceProperties properties,
      ForeignTransactions log,
      SourcePublication publication,
      Path file) {
    this.server = server;
    this.properties = properties;
    this.log = log;
    this.publication = publication;
    this.file = file;
  }

  /**
   * Opens the stream behind what the log has.
   *
   * @throws SourceProblem when the source may not be read
   */
  SourceStream open() throws SQLException {
    Connection queries = server.open();
    Connection replication = null;
    try {
      replication = server.openReplication();
      List<String> system = SourceServer.query(replication, "IDENTIFY_SYSTEM").get(0);
      long systemIdentifier = Long.parseUnsignedLong(system.get(0));
      int timeline = Integer.parseInt(system.get(1));
      SourceIdentity identity = SourceIdentity.read(file);
      if (identity != null) {
        requireSameSystem(identity, systemIdentifier);
      }
      publication.require(queries);
      if (identity == null || !identity.ready()) {
        identity = create(queries, replication, identity, systemIdentifier, timeline);
      } else {
        identity = new TimelineCheck(replication).follow(identity, timeline, log.sourceLsn(), file);
        requireUsable(queries);
      }
      return stream(queries, replication, Lsn.max(identity.startLsn(), log.sourceLsn()));
    } catch (SQLException | RuntimeException e) {
      PgSourceStream.close(queries);
      if (replication != null) {
        PgSourceStream.close(replication);
      }
      throw e;
    }
  }

  private void requireSameSystem(SourceIdentity identity, long systemIdentifier) {
    if (identity.systemIdentifier() != systemIdentifier) {
      throw new SourceProblem(
          SourceState.OTHER_SYSTEM,
          new PgException(
                  SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                  "the source is another database system than the one this log was taken from")
              .withDetail(
                  "Its system identifier is %s, the log's is %s."
                      .formatted(
                          Long.toUnsignedString(systemIdentifier),
                          Long.toUnsignedString(identity.systemIdentifier())))
              .withHint("Correct millrace.source.url, or begin with a new data directory."));
    }
    if (!identity.slotName().equals(properties.slotName())) {
      throw new SourceProblem(
          SourceState.MISCONFIGURED,
          new PgException(
                  SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                  "this log was taken from replication slot \"" + identity.slotName() + "\"")
              .withHint("Set millrace.source.slot-name to that name."));
    }
  }

  private SourceIdentity create(
      Connection queries,
      Connection replication,
      SourceIdentity begun,
      long systemIdentifier,
      int timeline)
      throws SQLException {
    String name = properties.slotName();
    if (row(queries) != null) {
      if (begun == null) {
        throw new SourceProblem(
            SourceState.MISCONFIGURED,
            new PgException(
                    SqlState.DUPLICATE_OBJECT,
                    "replication slot \""
                        + name
                        + "\" exists on the source, but not made by this"
                        + " publisher")
                .withHint("Drop it there, or set millrace.source.slot-name to another name."));
      }
      execute(replication, "DROP_REPLICATION_SLOT " + Identifiers.alwaysQuote(name));
    }
    new SourceIdentity(false, systemIdentifier, timeline, 0, name).write(file);
    FaultPoint.hit("source.slot-intended");
    String sql =
        "CREATE_REPLICATION_SLOT "
            + Identifiers.alwaysQuote(name)
            + " LOGICAL pgoutput NOEXPORT_SNAPSHOT"
            + (twoPhase(queries) ? " TWO_PHASE" : "");
    String consistentPoint = SourceServer.query(replication, sql).get(0).get(1);
    FaultPoint.hit("source.slot-made");
    SourceIdentity ready =
        new SourceIdentity(
            true, systemIdentifier, timeline, Lsn.parse(consistentPoint).value(), name);
    ready.write(file);
    LOG.info("created replication slot \"{}\" on the source at {}", name, consistentPoint);
    return ready;
  }

  private boolean twoPhase(Connection queries) throws SQLException {
    return properties.twoPhase() && queries.getMetaData().getDatabaseMajorVersion() >= 15;
  }

  private List<String> row(Connection queries) throws SQLException {
    List<List<String>> rows =
        SourceServer.query(
            queries,
            "SELECT plugin, database, active_pid, wal_status, to_jsonb(s)->>'invalidation_reason',"
                + " pg_catalog.current_database() FROM pg_catalog.pg_replication_slots s"
                + " WHERE slot_name = "
                + Identifiers.literal(properties.slotName()));
    return rows.isEmpty() ? null : rows.get(0);
  }

  private void requireUsable(Connection queries) throws SQLException {
    List<String> row = row(queries);
    String reason = null;
    if (row == null) {
      reason = "does not exist any more";
    } else if (!"pgoutput".equals(row.get(0)) || !row.get(5).equals(row.get(1))) {
      reason = "is of another database or plugin";
    } else if ("lost".equals(row.get(3)) || row.get(4) != null) {
      reason =
          "has been invalidated due to \""
              + (row.get(4) == null ? "wal_removed" : row.get(4))
              + "\"";
    }
    if (reason != null) {
      throw new SourceProblem(
          SourceState.SLOT_LOST,
          new PgException(
                  SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                  "replication slot \"" + properties.slotName() + "\" of the source " + reason)
              .withDetail("Changes after %s may be lost.".formatted(Lsn.format(log.sourceLsn())))
              .withHint(
                  "Begin with a new data directory and synchronize the subscriptions' tables"
                      + " again."));
    }
  }

  private SourceStream stream(Connection queries, Connection replication, long startLsn)
      throws SQLException {
    int version = queries.getMetaData().getDatabaseMajorVersion();
    boolean parallel = version >= 16;
    PGReplicationStream stream =
        options(replication, version, parallel)
            .withStartPosition(LogSequenceNumber.valueOf(startLsn))
            .withStatusInterval(STATUS_INTERVAL_S, TimeUnit.SECONDS)
            .withAutomaticFlush(false)
            .start();
    return new PgSourceStream(queries, replication, stream, parallel);
  }

  private ChainedLogicalStreamBuilder options(Connection replication, int version, boolean parallel)
      throws SQLException {
    ChainedLogicalStreamBuilder builder =
        replication
            .unwrap(PGConnection.class)
            .getReplicationAPI()
            .replicationStream()
            .logical()
            .withSlotName(properties.slotName())
            .withSlotOption("proto_version", parallel ? 4 : version >= 14 ? 2 : 1)
            .withSlotOption("publication_names", Identifiers.alwaysQuote(properties.publication()));
    if (version >= 14) {
      builder.withSlotOption("streaming", parallel ? "parallel" : "on");
      builder.withSlotOption("messages", true);
    }
    if (parallel) {
      builder.withSlotOption("origin", "any");
    }
    return builder;
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
