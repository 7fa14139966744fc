package dev.millrace.publisher.database;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The prepared transactions of the node by their identifiers, the oldest first. An identifier is
 * taken from before the PREPARE record is written until the transaction has ended for good. Safe
 * for any thread.
 */
final class PreparedTransactions {

  /** An identifier is shorter than that, in bytes. */
  private static final int MAX_GID_BYTES = 200;

  /** What stands behind an identifier; {@code transaction} is null while it is being prepared. */
  private static final class Entry {
    private PreparedTransaction transaction;
    private boolean finishing;
  }

  private final Map<String, Entry> byGid = new LinkedHashMap<>();

  /**
   * Takes an identifier for a transaction about to be prepared.
   *
   * @param limit max_prepared_transactions
   * @throws PgException 22023 too long, 55000 disabled, 42710 taken, 53200 too many
   */
  synchronized void reserve(String gid, int limit) {
    if (gid.getBytes(java.nio.charset.StandardCharsets.UTF_8).length >= MAX_GID_BYTES) {
      throw new PgException(
          SqlState.INVALID_PARAMETER_VALUE, "transaction identifier \"" + gid + "\" is too long");
    }
    if (limit == 0) {
      throw new PgException(
              SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE, "prepared transactions are disabled")
          .withHint("Set \"max_prepared_transactions\" to a nonzero value.");
    }
    if (byGid.containsKey(gid)) {
      throw new PgException(
          SqlState.DUPLICATE_OBJECT, "transaction identifier \"" + gid + "\" is already in use");
    }
    if (byGid.size() >= limit) {
      throw new PgException(
              SqlState.OUT_OF_MEMORY, "maximum number of prepared transactions reached")
          .withHint("Increase \"max_prepared_transactions\" (currently " + limit + ").");
    }
    byGid.put(gid, new Entry());
  }

  /** The transaction is prepared; also for one found at a start, which reserved nothing. */
  synchronized void add(PreparedTransaction transaction) {
    byGid.computeIfAbsent(transaction.gid(), gid -> new Entry()).transaction = transaction;
  }

  /** Frees an identifier: its transaction has ended, or was not prepared after all. */
  synchronized void remove(String gid) {
    byGid.remove(gid);
  }

  /**
   * Takes a transaction for ending it; {@link #remove} or {@link #giveBack} follows.
   *
   * @throws PgException 42704 when there is none, 55000 when another session ends it
   */
  synchronized PreparedTransaction take(String gid) {
    Entry entry = byGid.get(gid);
    if (entry == null || entry.transaction == null) {
      throw new PgException(
          SqlState.UNDEFINED_OBJECT,
          "prepared transaction with identifier \"" + gid + "\" does not exist");
    }
    if (entry.finishing) {
      throw new PgException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "prepared transaction with identifier \"" + gid + "\" is busy");
    }
    entry.finishing = true;
    return entry.transaction;
  }

  synchronized void giveBack(PreparedTransaction transaction) {
    byGid.get(transaction.gid()).finishing = false;
  }

  synchronized List<PreparedTransaction> all() {
    List<PreparedTransaction> all = new ArrayList<>();
    for (Entry entry : byGid.values()) {
      if (entry.transaction != null) {
        all.add(entry.transaction);
      }
    }
    return all;
  }
}
