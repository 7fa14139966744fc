package dev.millrace.publisher.database;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.wal.WalBatch;
import dev.millrace.publisher.wal.WalRecordType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.h2.schema.Sequence;

/**
 * Keeps the log ahead of the sequences: before a commit that used a value beyond the logged bound,
 * a record with a new bound goes out, so that redo never hands a value out twice (storage.md 1).
 *
 * <p>H2 writes sequences ahead by itself, but not durably. At a checkpoint its own state is
 * durable, so bounds begin anew from there. Safe for any thread.
 */
final class SequenceBounds {

  /** How many values a record covers beyond the last one used. */
  private static final int AHEAD = 32;

  private static final class Bound {
    private final Sequence sequence;
    private volatile long bound;

    Bound(Sequence sequence) {
      this.sequence = sequence;
      this.bound = sequence.getCurrentValue();
    }

    boolean isPassed() {
      long current = sequence.getCurrentValue();
      return sequence.getIncrement() > 0 ? current > bound : current < bound;
    }
  }

  private final int databaseOid;
  private volatile List<Bound> bounds = List.of();

  SequenceBounds(int databaseOid) {
    this.databaseOid = databaseOid;
  }

  /** The sequences are these now; known ones keep their bounds. */
  synchronized void refresh(List<Sequence> sequences) {
    Map<Sequence, Bound> known = new HashMap<>();
    bounds.forEach(bound -> known.put(bound.sequence, bound));
    List<Bound> refreshed = new ArrayList<>();
    for (Sequence sequence : sequences) {
      Bound bound = known.get(sequence);
      refreshed.add(bound == null ? new Bound(sequence) : bound);
    }
    bounds = refreshed;
  }

  /**
   * Lets sequences go on after the bounds that redo found; those unknown by now are dropped ones.
   */
  synchronized void redo(Map<QualifiedName, Long> logged) {
    for (Bound bound : bounds) {
      Sequence sequence = bound.sequence;
      Long last = logged.get(new QualifiedName(sequence.getSchema().getName(), sequence.getName()));
      if (last != null) {
        continueAfter(sequence, last);
        bound.bound = sequence.getCurrentValue();
      }
    }
  }

  private static void continueAfter(Sequence sequence, long last) {
    long next = saturatedAdd(last, sequence.getIncrement());
    long limit = Math.min(Math.max(next, sequence.getMinValue()), sequence.getMaxValue());
    sequence.modify(limit, null, null, null, null, null, null);
    sequence.flush(null);
  }

  /** The sequences of those names; a prepared transaction that is to restart them locks them. */
  synchronized List<Sequence> find(List<QualifiedName> names) {
    return bounds.stream()
        .map(bound -> bound.sequence)
        .filter(
            each -> names.contains(new QualifiedName(each.getSchema().getName(), each.getName())))
        .toList();
  }

  /** H2's own state is durable up to now; hold the gate alone. */
  synchronized void checkpointed() {
    for (Bound bound : bounds) {
      bound.bound = bound.sequence.getCurrentValue();
    }
  }

  /** Whether a value beyond a logged bound was used. */
  boolean isAnyPassed() {
    for (Bound bound : bounds) {
      if (bound.isPassed()) {
        return true;
      }
    }
    return false;
  }

  /** Adds a record for each sequence whose bound was passed; append before anyone else adds. */
  synchronized void addPassed(WalBatch batch) {
    for (Bound bound : bounds) {
      if (bound.isPassed()) {
        long current = bound.sequence.getCurrentValue();
        bound.bound = saturatedAdd(current, AHEAD * bound.sequence.getIncrement());
        add(batch, bound.sequence, bound.bound);
      }
    }
  }

  /** Adds a record for a sequence that is about to begin anew; see {@link #restart}. */
  void addRestart(WalBatch batch, Sequence sequence) {
    add(batch, sequence, sequence.getStartValue() - sequence.getIncrement());
  }

  /** Lets the sequence begin anew; its record is in the log, its table is locked. */
  synchronized void restart(Sequence sequence) {
    continueAfter(sequence, sequence.getStartValue() - sequence.getIncrement());
    for (Bound bound : bounds) {
      if (bound.sequence == sequence) {
        bound.bound = sequence.getCurrentValue();
      }
    }
  }

  /** Adds a record of where a sequence stands after ALTER SEQUENCE. */
  synchronized void resync(WalBatch batch, QualifiedName name) {
    for (Bound bound : bounds) {
      Sequence sequence = bound.sequence;
      if (sequence.getName().equals(name.name())
          && sequence.getSchema().getName().equals(name.schema())) {
        bound.bound = sequence.getCurrentValue();
        add(batch, sequence, bound.bound);
      }
    }
  }

  /** Sets a sequence and adds its record; see {@link PublisherNode#setSequence}. */
  synchronized void set(WalBatch batch, QualifiedName name, long value, boolean called) {
    for (Bound bound : bounds) {
      Sequence sequence = bound.sequence;
      if (name.equals(new QualifiedName(sequence.getSchema().getName(), sequence.getName()))) {
        if (value < sequence.getMinValue() || value > sequence.getMaxValue()) {
          throw new PgException(
              SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
              "setval: value "
                  + value
                  + " is out of bounds for sequence \""
                  + name.name()
                  + "\" ("
                  + sequence.getMinValue()
                  + ".."
                  + sequence.getMaxValue()
                  + ")");
        }
        long last = called ? value : value - sequence.getIncrement();
        continueAfter(sequence, last);
        bound.bound = sequence.getCurrentValue();
        add(batch, sequence, last);
        return;
      }
    }
    throw new PgException(
        SqlState.UNDEFINED_TABLE, "relation \"" + name.name() + "\" does not exist");
  }

  private static long saturatedAdd(long value, long step) {
    long sum = value + step;
    boolean overflow = ((value ^ sum) & (step ^ sum)) < 0;
    return overflow ? (step > 0 ? Long.MAX_VALUE : Long.MIN_VALUE) : sum;
  }

  private void add(WalBatch batch, Sequence sequence, long bound) {
    ByteBuilder out =
        batch.begin(
            WalRecordType.SEQUENCE,
            0,
            NodeTransaction.NO_XID,
            NodeTransaction.NO_XID,
            databaseOid,
            0);
    out.putLong(bound).putName(sequence.getSchema().getName()).putName(sequence.getName());
    batch.end();
  }
}
