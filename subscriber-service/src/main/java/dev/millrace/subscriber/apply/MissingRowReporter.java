package dev.millrace.subscriber.apply;

import dev.millrace.pgoutput.MessageType;
import dev.millrace.pgoutput.TupleData;
import dev.millrace.subscriber.catalog.SubscriptionStatistics;
import dev.millrace.subscriber.catalog.SubscriptionStatistics.Conflict;
import dev.millrace.subscriber.conflict.ConflictLog;
import dev.millrace.subscriber.conflict.ConflictRecord;
import dev.millrace.subscriber.conflict.RowText;
import java.time.Clock;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports update_missing and delete_missing: the row is gone, the change is skipped, the worker
 * goes on.
 */
final class MissingRowReporter implements ChangeBatch.MissingRows {

  private static final Logger log = LoggerFactory.getLogger(MissingRowReporter.class);

  private final int subscriptionOid;
  private final SubscriptionStatistics statistics;
  private final ConflictLog conflicts;
  private final ErrorContext context;
  private final Clock clock;

  MissingRowReporter(
      int subscriptionOid,
      SubscriptionStatistics statistics,
      ConflictLog conflicts,
      ErrorContext context,
      Clock clock) {
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
    String key = identity(relation, oldTuple == null ? newTuple : oldTuple);
    String remoteRow = update ? row(relation, newTuple) : null;
    statistics.conflicts(type).increment();
    conflicts.add(
        new ConflictRecord(
            clock.instant(),
            subscriptionOid,
            type,
            relation.name(),
            key,
            remoteRow,
            null,
            context.originName(),
            context.xid(),
            context.finishLsn(),
            "skipped"));
    log.info(
        "conflict detected on relation \"{}\": conflict={}\nDETAIL:  {}\nCONTEXT:  {}",
        relation.name(),
        type.name().toLowerCase(Locale.ROOT),
        update
            ? "Could not find the row to be updated.\nRemote row "
                + remoteRow
                + "; replica identity "
                + key
                + "."
            : "Could not find the row to be deleted.\nReplica identity " + key + ".",
        context.line(null));
  }

  private static String identity(TargetRelation relation, TupleData tuple) {
    if (relation.wholeRow()) {
      return "full " + row(relation, tuple);
    }
    StringBuilder names = new StringBuilder("(");
    RowText values = new RowText();
    for (int column : relation.searchKey()) {
      names.append(names.length() == 1 ? "" : ", ").append(relation.column(column).name());
      values.add(tuple, column);
    }
    return names + ")=" + values;
  }

  private static String row(TargetRelation relation, TupleData tuple) {
    RowText values = new RowText();
    for (int i = 0; i < relation.columnCount(); i++) {
      values.add(tuple, i);
    }
    return values.toString();
  }
}
