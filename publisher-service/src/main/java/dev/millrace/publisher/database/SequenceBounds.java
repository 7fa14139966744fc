package dev.millrace.publisher.database;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.wal.PrepareRecord;
import dev.millrace.publisher.wal.WalBatch;
import dev.millrace.publisher.wal.WalRecordType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.h2.schema.Sequence;

/**
 * Keeps the log ahead of the sequences: before a commit that used a value beyond the logged bound,
 * a record with a new bound goes out, so that redo never hands a value out twice (storage.md 1).
 *
 * <p>H2 writes sequences ahead by itself, but not durably. At a checkpoint its own state is
 * durable, so bounds begin anew from there.
 *
 * <p>A TRUNCATE .. RESTART IDENTITY sets its sequences back at once, for the rows that its
 * transaction inserts afterwards, though it may still roll back. Until it has committed, the log
 * holds the bound from before; where the sequence goes on comes with the commit record, as a record
 * of the transaction, which redo heeds only if it committed. The transaction has the table alone
 * meanwhile.
 *
 * <p>Safe for any thread.
 */
final class SequenceBounds {

  /** How many values a record covers beyond the last one used. */
  private static final int AHEAD = 32;

  private static final class Bound {
    private final Sequence sequence;
    private volatile long bound;

    /** Begun anew by a transaction that has not ended; {@link #bound} is from before then. */
    private volatile boolean restarted;

    Bound(Sequence sequence) {
      this.sequence = sequence;
      this.bound = sequence.getCurrentValue();
    }

    boolean isPassed() {
      if (restarted) {
        return false;
      }
      long current = sequence.getCurrentValue();
      return sequence.getIncrement() > 0 ? current > bound : current < bound;
    }
  }

  /** What undoes one restart: the last value before, and whether one was open already. */
  record Restart(Sequence sequence, long lastValue, boolean nested) {}

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
      Long last = logged.get(nameOf(sequence));
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

  /**
   * H2's own state is durable up to now, but for sequences whose restart may yet be undone: their
   * bounds go into the batch. Hold the gate alone; append it behind the redo LSN.
   */
  synchronized void checkpointed(WalBatch batch) {
    for (Bound bound : bounds) {
      if (bound.restarted) {
        add(batch, bound.sequence, bound.bound, NodeTransaction.NO_XID);
      } else {
        bound.bound = bound.sequence.getCurrentValue();
      }
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
        bound.bound = ahead(bound.sequence);
        add(batch, bound.sequence, bound.bound, NodeTransaction.NO_XID);
      }
    }
  }

  private static long ahead(Sequence sequence) {
    return saturatedAdd(sequence.getCurrentValue(), AHEAD * sequence.getIncrement());
  }

  /** Adds the bounds of sequences that are about to be restarted, which count if that is undone. */
  synchronized void addBounds(WalBatch batch, List<Sequence> sequences) {
    for (Bound bound : bounds) {
      if (sequences.contains(bound.sequence) && !bound.restarted) {
        if (bound.isPassed()) {
          bound.bound = ahead(bound.sequence);
        }
        add(batch, bound.sequence, bound.bound, NodeTransaction.NO_XID);
      }
    }
  }

  /** Lets a sequence begin anew; its bound is in the log, its table is locked. */
  synchronized Restart restart(Sequence sequence) {
    return goOn(of(sequence), beforeFirst(sequence));
  }

  /** Takes up the restart of a prepared transaction after a start; null = dropped. */
  synchronized Restart resume(PrepareRecord.Restart found) {
    for (Bound bound : bounds) {
      if (nameOf(bound.sequence).equals(found.sequence())) {
        return goOn(bound, found.lastValue());
      }
    }
    return null;
  }

  private static Restart goOn(Bound bound, long last) {
    long before = bound.sequence.getCurrentValue();
    Restart restart = new Restart(bound.sequence, before, bound.restarted);
    bound.restarted = true;
    continueAfter(bound.sequence, last);
    return restart;
  }

  /** Undoes a restart; several of one transaction in the reverse order. */
  synchronized void undo(Restart restart) {
    Bound bound = of(restart.sequence());
    continueAfter(bound.sequence, restart.lastValue());
    bound.restarted = restart.nested();
  }

  /** Adds where the restarted sequences go on if the transaction commits. */
  synchronized void addRestarts(WalBatch batch, List<Restart> restarts, int xid) {
    for (Sequence sequence : sequencesOf(restarts)) {
      Bound bound = of(sequence);
      bound.bound = lastUsed(sequence);
      add(batch, sequence, bound.bound, xid);
    }
  }

  /** Where the restarted sequences would go on, for a PREPARE record. */
  synchronized List<PrepareRecord.Restart> prepared(List<Restart> restarts) {
    return sequencesOf(restarts).stream()
        .map(sequence -> new PrepareRecord.Restart(nameOf(sequence), lastUsed(sequence)))
        .toList();
  }

  /** The transaction has committed: the restarts count. */
  synchronized void committed(List<Restart> restarts) {
    sequencesOf(restarts).forEach(sequence -> of(sequence).restarted = false);
  }

  private static Set<Sequence> sequencesOf(List<Restart> restarts) {
    Set<Sequence> sequences = new LinkedHashSet<>();
    restarts.forEach(restart -> sequences.add(restart.sequence()));
    return sequences;
  }

  /** An unused sequence begins at its start after redo, too. */
  private static long lastUsed(Sequence sequence) {
    boolean unused = sequence.getCurrentValue() == beforeFirst(sequence);
    return unused ? beforeFirst(sequence) : ahead(sequence);
  }

  private static long beforeFirst(Sequence sequence) {
    return sequence.getStartValue() - sequence.getIncrement();
  }

  private Bound of(Sequence sequence) {
    for (Bound bound : bounds) {
      if (bound.sequence == sequence) {
        return bound;
      }
    }
    return new Bound(sequence); // Dropped meanwhile: nobody asks for it again.
  }

  private static QualifiedName nameOf(Sequence sequence) {
    return new QualifiedName(sequence.getSchema().getName(), sequence.getName());
  }

  /** Adds a record of where a sequence stands after ALTER SEQUENCE. */
  synchronized void resync(WalBatch batch, QualifiedName name) {
    for (Bound bound : bounds) {
      Sequence sequence = bound.sequence;
      if (nameOf(sequence).equals(name) && !bound.restarted) {
        bound.bound = sequence.getCurrentValue();
        add(batch, sequence, bound.bound, NodeTransaction.NO_XID);
      }
    }
  }

  /** Sets a sequence and adds its record; see {@link PublisherNode#setSequence}. */
  synchronized void set(WalBatch batch, QualifiedName name, long value, boolean called) {
    for (Bound bound : bounds) {
      Sequence sequence = bound.sequence;
      if (name.equals(nameOf(sequence))) {
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
        if (!bound.restarted) { // Else the commit of the restart tells.
          bound.bound = sequence.getCurrentValue();
          add(batch, sequence, last, NodeTransaction.NO_XID);
        }
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

  private void add(WalBatch batch, Sequence sequence, long bound, int xid) {
    ByteBuilder out = batch.begin(WalRecordType.SEQUENCE, 0, xid, xid, databaseOid, 0);
    out.putLong(bound).putName(sequence.getSchema().getName()).putName(sequence.getName());
    batch.end();
  }
}
