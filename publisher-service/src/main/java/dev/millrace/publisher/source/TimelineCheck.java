package dev.millrace.publisher.source;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.nio.file.Path;
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
   * Returns the identity to go on with, stored when it is new.
   *
   * @param takenLsn everything before it has been taken over
   * @throws SourceProblem when the new primary lacks some of that
   */
  SourceIdentity follow(SourceIdentity identity, int timeline, long takenLsn, Path file)
      throws SQLException {
    if (timeline == identity.timeline()) {
      return identity;
    }
    long switchLsn = timeline < identity.timeline() ? 0 : switchLsn(identity.timeline(), timeline);
    if (switchLsn == 0 || Lsn.isBefore(switchLsn, takenLsn)) {
      throw new SourceProblem(
          SourceState.DIVERGED,
          new PgException(
                  SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                  "the source is on timeline "
                      + timeline
                      + ", which does not hold all that was taken over from timeline "
                      + identity.timeline())
              .withDetail(
                  "It forked at %s; taken over was everything before %s."
                      .formatted(Lsn.format(switchLsn), Lsn.format(takenLsn)))
              .withHint(
                  "Begin with a new data directory and synchronize the subscriptions' tables"
                      + " again."));
    }
    LOG.warn("the source has failed over to timeline {}, following it", timeline);
    SourceIdentity followed = identity.withTimeline(timeline);
    followed.write(file);
    return followed;
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
