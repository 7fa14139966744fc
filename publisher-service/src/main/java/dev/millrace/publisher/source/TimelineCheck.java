package dev.millrace.publisher.source;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A promoted standby goes on under a new timeline, with the history of the old primary up to where
 * it was promoted. It can be followed if nothing behind that place was taken over from the old one.
 */
final class TimelineCheck {

  private static final Logger LOG = LoggerFactory.getLogger(TimelineCheck.class);

  private final Connection replication;

  TimelineCheck(Connection replication) {
    this.replication = replication;
  }

  /**
   * Returns the identity to go on with; the caller stores it once the slot is known to be there
   * too.
   *
   * @param takenLsn everything before it has been taken over
   * @throws SourceProblem when the new primary lacks some of that
   */
  SourceIdentity follow(SourceIdentity identity, int timeline, long takenLsn) throws SQLException {
    if (timeline == identity.timeline()) {
      return identity;
    }
    if (timeline < identity.timeline()) {
      throw diverged(
          identity,
          timeline,
          "It is the older one, as of a primary that was replaced.",
          "Let millrace.source.url lead to the server that was promoted.");
    }
    long switchLsn = switchLsn(identity.timeline(), timeline);
    if (switchLsn == 0 || Lsn.isBefore(switchLsn, takenLsn)) {
      String forked = switchLsn == 0 ? "another timeline" : Lsn.format(switchLsn);
      throw diverged(
          identity,
          timeline,
          "It forked at %s; taken over was everything before %s."
              .formatted(forked, Lsn.format(takenLsn)),
          "Begin with a new data directory and synchronize the subscriptions' tables again.");
    }
    LOG.warn("the source has failed over to timeline {}, which can be followed", timeline);
    return identity.withTimeline(timeline);
  }

  private static SourceProblem diverged(
      SourceIdentity identity, int timeline, String detail, String hint) {
    return new SourceProblem(
        SourceState.DIVERGED,
        new PgException(
                SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                "the source is on timeline "
                    + timeline
                    + ", which does not hold all that was taken over from timeline "
                    + identity.timeline())
            .withDetail(detail)
            .withHint(hint));
  }

  /** Where the old timeline ended in the history of the new one; 0 when it is not part of it. */
  private long switchLsn(int old, int timeline) throws SQLException {
    String history = SourceServer.query(replication, "TIMELINE_HISTORY " + timeline).get(0).get(1);
    for (String line : history.split("\n")) {
      String[] fields = line.trim().split("\\s+", 3);
      if (fields.length >= 2 && fields[0].equals(Integer.toString(old))) {
        return Lsn.parse(fields[1]).value();
      }
    }
    return 0;
  }
}
