package dev.millrace.subscriber.apply;

import dev.millrace.model.QualifiedName;

/** Which worker owns a table's changes (semantics.md Y1). Asked on the worker's thread. */
public interface ChangeGate {

  /** What to do with the changes a transaction makes to a table. */
  enum Verdict {
    /** They are this worker's to apply. */
    APPLY,
    /** Another worker applies them, or has. */
    LEAVE,
    /** The table is not part of the subscription. */
    NOT_SUBSCRIBED
  }

  /**
   * @param commitLsn the transaction's commit LSN
   */
  Verdict judge(QualifiedName table, long commitLsn);
}
