package dev.millrace.subscriber.apply;

import dev.millrace.model.PgException;
import dev.millrace.pgoutput.MessageType;
import dev.millrace.pgoutput.TupleData;
import dev.millrace.subscriber.catalog.SubscriptionStatistics;
import dev.millrace.subscriber.catalog.SubscriptionStatistics.Conflict;
import dev.millrace.subscriber.conflict.ConflictLog;
import dev.millrace.subscriber.conflict.ConflictRecord;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports conflicts as PostgreSQL 18 does: counted, logged, listed. A missing row is skipped and
 * the worker goes on; a violated unique index is the error that ends it.
 */
final class ConflictReporter implements ChangeBatch.RowConflicts {

  private static final Logger log = LoggerFactory.getLogger(ConflictReporter.class);

  private final Connection connection;
  private final int subscriptionOid;
  private final SubscriptionStatistics statistics;
  private final ConflictLog conflicts;
  private final ErrorContext context;
  private final Clock clock;

  ConflictReporter(
      Connection connection,
      int subscriptionOid,
      SubscriptionStatistics statistics,
      ConflictLog conflicts,
      ErrorContext context,
      Clock clock) {
    this.connection = connection;
    this.subscriptionOid = subscriptionOid;
    this.statistics = statistics;
    this.conflicts = conflicts;
    this.context = context;
    this.clock = clock;
  }

  @Override
  public void missing(RowStatement statement, TupleData oldTuple, TupleData newTuple) {
    boolean update = statement.operation() == MessageType.UPDATE;
    Conflict type = update ? Conflict.UPDATE_MISSING : Conflict.DELETE_MISSING;
    TargetRelation relation = statement.relation();
    String identity = relation.describeIdentity(oldTuple == null ? newTuple : oldTuple);
    String remoteRow = update ? relation.describeRow(newTuple) : null;
    record(type, relation, identity, remoteRow, null, "skipped");
    log.info(
        "{}\nDETAIL:  {}\nCONTEXT:  {}",
        message(type, relation),
        update
            ? "Could not find the row to be updated.\nRemote row "
                + remoteRow
                + "; replica identity "
                + identity
                + "."
            : "Could not find the row to be deleted.\nReplica identity " + identity + ".",
        context.line(null));
  }

  @Override
  public PgException duplicate(
      RowStatement statement, TupleData oldTuple, TupleData newTuple, PgException error) {
    TargetRelation relation = statement.relation();
    boolean update = statement.operation() == MessageType.UPDATE;
    List<UniqueViolations.Violation> violations;
    try {
      violations =
          new UniqueViolations(connection, relation)
              .find(update ? (oldTuple == null ? newTuple : oldTuple) : null, newTuple);
    } catch (SQLException cannotLook) {
      error.addSuppressed(cannotLook);
      return error;
    }
    if (violations.isEmpty()) {
      return error;
    }
    Conflict type =
        violations.size() > 1
            ? Conflict.MULTIPLE_UNIQUE_CONFLICTS
            : update ? Conflict.UPDATE_EXISTS : Conflict.INSERT_EXISTS;
    String remoteRow = relation.describeRow(newTuple);
    String identity =
        update ? relation.describeIdentity(oldTuple == null ? newTuple : oldTuple) : null;
    StringBuilder detail = new StringBuilder();
    for (UniqueViolations.Violation violation : violations) {
      detail.append(detail.length() == 0 ? "" : "\n");
      detail
          .append("Key already exists in unique index \"")
          .append(violation.indexName())
          .append("\".\nKey ")
          .append(violation.key())
          .append("; existing local row ")
          .append(violation.localRow())
          .append("; remote row ")
          .append(remoteRow)
          .append(identity == null ? "" : "; replica identity " + identity)
          .append('.');
    }
    UniqueViolations.Violation first = violations.get(0);
    record(type, relation, first.key(), remoteRow, first.localRow(), "error");
    return new PgException(error.sqlState(), message(type, relation), error)
        .withDetail(detail.toString());
  }

  private static String message(Conflict type, TargetRelation relation) {
    return "conflict detected on relation \""
        + relation.name()
        + "\": conflict="
        + type.name().toLowerCase(Locale.ROOT);
  }

  private void record(
      Conflict type,
      TargetRelation relation,
      String key,
      String remoteRow,
      String localRow,
      String resolution) {
    statistics.conflicts(type).increment();
    conflicts.add(
        new ConflictRecord(
            clock.instant(),
            subscriptionOid,
            type,
            relation.name(),
            key,
            remoteRow,
            localRow,
            context.originName(),
            context.xid(),
            context.finishLsn(),
            resolution));
  }
}
