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
      requirePrimary(queries);
      publication.require(queries);
      if (identity == null || !identity.ready()) {
        identity = create(queries, replication, identity, systemIdentifier, timeline);
      } else {
        long takenLsn = Lsn.max(identity.startLsn(), log.sourceLsn());
        SourceIdentity last = identity;
        identity = new TimelineCheck(replication).follow(last, timeline, takenLsn);
        SlotRow.require(slot(queries), slotName(last, timeline), takenLsn);
      }
      return stream(queries, replication, identity);
    } catch (SQLException | RuntimeException e) {
      PgSourceStream.close(queries);
      if (replication != null) {
        PgSourceStream.close(replication);
      }
      throw e;
    }
  }

  /** As errors show it: which server lacks it matters after a failover. */
  private String slotName(SourceIdentity last, int timeline) {
    String name = "\"" + properties.slotName() + "\" of the source";
    return timeline == last.timeline()
        ? name
        : name + ", which has failed over to timeline " + timeline + ",";
  }

  private static void requirePrimary(Connection queries) throws SQLException {
    String sql = "SELECT pg_catalog.pg_is_in_recovery()";
    if (SourceServer.query(queries, sql).get(0).get(0).equals("t")) {
      throw new SourceProblem(
          SourceState.AWAY,
          new PgException(
              SqlState.READ_ONLY_SQL_TRANSACTION,
              "the source is a standby that has not been promoted"));
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
    if (slot(queries) != null) {
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
            + " LOGICAL pgoutput "
            + slotOptions(version(queries));
    String consistentPoint = server.createSlot(replication, sql).get(1);
    FaultPoint.hit("source.slot-made");
    SourceIdentity ready =
        new SourceIdentity(
            true, systemIdentifier, timeline, Lsn.parse(consistentPoint).value(), name);
    ready.write(file);
    LOG.info("created replication slot \"{}\" on the source at {}", name, consistentPoint);
    return ready;
  }

  private String slotOptions(int version) {
    if (properties.failover() && version < 17) {
      throw new SourceProblem(
          SourceState.MISCONFIGURED,
          new PgException(
                  SqlState.FEATURE_NOT_SUPPORTED,
                  "the source is PostgreSQL " + version + ", which has no failover slots")
              .withHint("Unset millrace.source.failover."));
    }
    if (version < 15) {
      return "NOEXPORT_SNAPSHOT";
    }
    return "(SNAPSHOT 'nothing'"
        + (properties.twoPhase() ? ", TWO_PHASE" : "")
        + (properties.failover() ? ", FAILOVER" : "")
        + ")";
  }

  /** Only when all is well the new timeline is the one to go on from. */
  private SourceStream stream(Connection queries, Connection replication, SourceIdentity identity)
      throws SQLException {
    long startLsn = Lsn.max(identity.startLsn(), log.sourceLsn());
    int pid =
        Integer.parseInt(
            SourceServer.query(replication, "SELECT pg_catalog.pg_backend_pid()").get(0).get(0));
    boolean parallel = version(queries) >= 16;
    PgSourceStream stream =
        new PgSourceStream(
            queries,
            replication,
            startCommand(queries, startLsn),
            startLsn,
            parallel,
            properties.receiveTimeout());
    slot(queries).requireReadFrom(startLsn, pid);
    if (!identity.equals(SourceIdentity.read(file))) {
      identity.write(file);
    }
    return stream;
  }

  private SlotRow slot(Connection queries) throws SQLException {
    return SlotRow.find(queries, properties.slotName());
  }

  private static int version(Connection queries) throws SQLException {
    return queries.getMetaData().getDatabaseMajorVersion();
  }

  private String startCommand(Connection queries, long startLsn) throws SQLException {
    int version = version(queries);
    boolean parallel = version >= 16;
    StringBuilder sql = new StringBuilder("START_REPLICATION SLOT ");
    sql.append(Identifiers.alwaysQuote(properties.slotName()));
    sql.append(" LOGICAL ").append(Lsn.format(startLsn));
    sql.append(" (proto_version '").append(parallel ? 4 : version >= 14 ? 2 : 1);
    sql.append("', publication_names ")
        .append(Identifiers.literal(Identifiers.alwaysQuote(properties.publication())));
    if (version >= 14) {
      sql.append(", messages 'true', streaming ").append(parallel ? "'parallel'" : "'on'");
    }
    if (parallel) {
      sql.append(", origin 'any'");
    }
    return sql.append(')').toString();
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
