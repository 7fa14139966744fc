package dev.millrace.sql;

import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.sql.ParsedStatement.TransactionControl;
import dev.millrace.sql.TransactionBackend.IsolationLevel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Where a session stands: the block of BEGIN, the implicit transaction of a call, and the
 * savepoints by name. Tells the backend to begin, commit and roll back.
 *
 * <p>A block that fails without a savepoint is rolled back at once, so that its locks are free
 * while the client has not said ROLLBACK yet. One thread.
 */
final class TransactionBlock {

  private final TransactionBackend backend;
  private final SettingCommands settings;
  private final List<String> savepoints = new ArrayList<>();
  private TransactionStatus status = TransactionStatus.IDLE;

  /** The backend has a transaction: the block's or an implicit one. */
  private boolean open;

  /** A statement has run in the block. */
  private boolean used;

  private IsolationLevel isolation;
  private boolean readOnly;

  TransactionBlock(TransactionBackend backend, SettingCommands settings) {
    this.backend = backend;
    this.settings = settings;
  }

  TransactionStatus status() {
    return status;
  }

  /** Whether BEGIN was used. */
  boolean isExplicit() {
    return status != TransactionStatus.IDLE;
  }

  IsolationLevel isolation() {
    return isolation == null ? IsolationLevel.READ_COMMITTED : isolation;
  }

  boolean isReadOnly() {
    return readOnly;
  }

  void requireNotFailed() {
    if (status == TransactionStatus.FAILED) {
      throw new PgException(
          SqlState.IN_FAILED_SQL_TRANSACTION,
          "current transaction is aborted, commands ignored until end of transaction block");
    }
  }

  /** Every statement has a transaction: begins the implicit one if there is none. */
  void ensureOpen() {
    used = true;
    if (!open) {
      begin(null, false);
    }
  }

  /** Rolls back an implicit transaction and begins another. */
  void restart() {
    rollback();
    begin(null, false);
  }

  private void begin(IsolationLevel newIsolation, boolean newReadOnly) {
    isolation = newIsolation;
    readOnly = newReadOnly;
    backend.begin(newIsolation, newReadOnly);
    open = true;
  }

  private void commit() {
    boolean committed = false;
    try {
      if (open) {
        open = false;
        backend.commit();
      }
      committed = true;
    } finally {
      ended(committed);
    }
  }

  private void rollback() {
    try {
      if (open) {
        open = false;
        backend.rollback();
      }
    } finally {
      ended(false);
    }
  }

  private void ended(boolean committed) {
    status = TransactionStatus.IDLE;
    savepoints.clear();
    used = false;
    isolation = null;
    readOnly = false;
    if (settings != null) {
      settings.transactionEnded(committed);
    }
  }

  /** Commits the implicit transaction. */
  void endOfCall() {
    if (status == TransactionStatus.IDLE) {
      commit();
    }
  }

  /** A statement or the parser has failed. */
  void failed(Throwable error) {
    if (status == TransactionStatus.IDLE) {
      rollbackAfter(error);
      return;
    }
    status = TransactionStatus.FAILED;
    if (savepoints.isEmpty() && open) {
      open = false;
      try {
        backend.rollback();
      } catch (RuntimeException e) {
        error.addSuppressed(e);
      }
    }
  }

  private void rollbackAfter(Throwable error) {
    try {
      rollback();
    } catch (RuntimeException e) {
      error.addSuppressed(e);
    }
  }

  void close() {
    rollback();
  }

  /** Runs one of BEGIN, COMMIT, SAVEPOINT and their kin; returns the command tag. */
  String control(TransactionControl control, boolean alone, Consumer<Notice> notices) {
    switch (control.kind()) {
      case BEGIN:
        return beginBlock(control, notices);
      case COMMIT:
        return commitBlock(control, notices);
      case ROLLBACK:
        return rollbackBlock(control, notices);
      case SAVEPOINT:
        return savepoint(control.name());
      case ROLLBACK_TO:
        return rollbackTo(control.name());
      case RELEASE:
        return release(control.name());
      case SET_TRANSACTION:
        return setTransaction(control, notices);
      case SET_TRANSACTION_SNAPSHOT:
        return importSnapshot(control.name());
      case PREPARE_TRANSACTION:
        return prepare(control.name(), notices);
      default:
        return finishPrepared(control, alone);
    }
  }

  /** A failed block is rolled back instead, as COMMIT would. */
  private String prepare(String gid, Consumer<Notice> notices) {
    if (status == TransactionStatus.IDLE) {
      notices.accept(noTransaction());
    }
    if (status == TransactionStatus.FAILED || !open) {
      rollback();
      return "ROLLBACK";
    }
    boolean prepared = false;
    try {
      open = false;
      backend.prepare(gid);
      prepared = true;
    } finally {
      ended(prepared);
    }
    return "PREPARE TRANSACTION";
  }

  private String finishPrepared(TransactionControl control, boolean alone) {
    requireNotFailed();
    String command = control.kind().name().replace('_', ' ');
    if (isExplicit() || !alone) {
      throw new PgException(
          SqlState.ACTIVE_SQL_TRANSACTION, command + " cannot run inside a transaction block");
    }
    backend.finishPrepared(
        control.name(), control.kind() == TransactionControl.Kind.COMMIT_PREPARED);
    return command;
  }

  private String beginBlock(TransactionControl control, Consumer<Notice> notices) {
    requireNotFailed();
    String tag =
        control.original().regionMatches(true, 0, "start", 0, 5) ? "START TRANSACTION" : "BEGIN";
    boolean wantReadOnly = Boolean.TRUE.equals(control.readOnly());
    if (status == TransactionStatus.IN_TRANSACTION) {
      notices.accept(
          warning(SqlState.ACTIVE_SQL_TRANSACTION, "there is already a transaction in progress"));
    } else if (!open) {
      begin(control.isolation(), wantReadOnly);
    } else {
      // The statements before it in this call become part of the block.
      if (control.isolation() != null) {
        throw tooLate();
      }
      readOnly |= wantReadOnly;
    }
    status = TransactionStatus.IN_TRANSACTION;
    return tag;
  }

  private String commitBlock(TransactionControl control, Consumer<Notice> notices) {
    warnOutsideBlock("COMMIT", control, notices);
    boolean failed = status == TransactionStatus.FAILED;
    IsolationLevel chainedIsolation = isolation;
    boolean chainedReadOnly = readOnly;
    if (failed) {
      rollback();
    } else {
      commit();
    }
    chain(control, chainedIsolation, chainedReadOnly);
    return failed ? "ROLLBACK" : "COMMIT";
  }

  private String rollbackBlock(TransactionControl control, Consumer<Notice> notices) {
    warnOutsideBlock("ROLLBACK", control, notices);
    IsolationLevel chainedIsolation = isolation;
    boolean chainedReadOnly = readOnly;
    rollback();
    chain(control, chainedIsolation, chainedReadOnly);
    return "ROLLBACK";
  }

  private void chain(TransactionControl control, IsolationLevel sameIsolation, boolean same) {
    if (control.chain()) {
      begin(sameIsolation, same);
      status = TransactionStatus.IN_TRANSACTION;
    }
  }

  private void warnOutsideBlock(
      String command, TransactionControl control, Consumer<Notice> notices) {
    if (status != TransactionStatus.IDLE) {
      return;
    }
    if (control.chain()) {
      throw onlyInBlock(command + " AND CHAIN");
    }
    notices.accept(noTransaction());
  }

  private static Notice noTransaction() {
    return warning(SqlState.NO_ACTIVE_SQL_TRANSACTION, "there is no transaction in progress");
  }

  private String savepoint(String name) {
    requireBlock("SAVEPOINT");
    requireNotFailed();
    backend.savepoint(savepoints.size() + 1);
    savepoints.add(name);
    used = true;
    return "SAVEPOINT";
  }

  private String rollbackTo(String name) {
    requireBlock("ROLLBACK TO SAVEPOINT");
    int level = level(name);
    backend.rollbackToSavepoint(level);
    truncate(level);
    status = TransactionStatus.IN_TRANSACTION;
    return "ROLLBACK";
  }

  private String release(String name) {
    requireBlock("RELEASE SAVEPOINT");
    requireNotFailed();
    int level = level(name);
    backend.releaseSavepoint(level);
    truncate(level - 1);
    return "RELEASE";
  }

  /** The innermost savepoint of that name, counted from 1. */
  private int level(String name) {
    int index = savepoints.lastIndexOf(name);
    if (index < 0) {
      throw new PgException(
          SqlState.INVALID_SAVEPOINT_SPECIFICATION, "savepoint \"" + name + "\" does not exist");
    }
    return index + 1;
  }

  private void truncate(int size) {
    savepoints.subList(size, savepoints.size()).clear();
  }

  private void requireBlock(String command) {
    if (status == TransactionStatus.IDLE) {
      throw onlyInBlock(command);
    }
  }

  private static PgException onlyInBlock(String command) {
    return new PgException(
        SqlState.NO_ACTIVE_SQL_TRANSACTION, command + " can only be used in transaction blocks");
  }

  /** Before the first statement of a block the transaction is simply begun again. */
  private String setTransaction(TransactionControl control, Consumer<Notice> notices) {
    requireNotFailed();
    if (status == TransactionStatus.IDLE) {
      notices.accept(
          warning(
              SqlState.NO_ACTIVE_SQL_TRANSACTION,
              "SET TRANSACTION can only be used in transaction blocks"));
      return "SET";
    }
    boolean newReadOnly = control.readOnly() == null ? readOnly : control.readOnly();
    IsolationLevel newIsolation = control.isolation() == null ? isolation : control.isolation();
    if (newReadOnly == readOnly && newIsolation == isolation) {
      return "SET";
    }
    if (used) {
      throw tooLate();
    }
    backend.rollback();
    open = false;
    begin(newIsolation, newReadOnly);
    return "SET";
  }

  private String importSnapshot(String name) {
    requireNotFailed();
    if (isolation() == IsolationLevel.READ_COMMITTED) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "a snapshot-importing transaction must have isolation level SERIALIZABLE or REPEATABLE"
              + " READ");
    }
    if (used) {
      throw new PgException(
          SqlState.ACTIVE_SQL_TRANSACTION,
          "SET TRANSACTION SNAPSHOT must be called before any query");
    }
    backend.importSnapshot(name);
    used = true;
    return "SET";
  }

  private static PgException tooLate() {
    return new PgException(
        SqlState.ACTIVE_SQL_TRANSACTION,
        "SET TRANSACTION ISOLATION LEVEL must be called before any query");
  }

  static Notice warning(String sqlState, String message) {
    return new Notice("WARNING", sqlState, message, null, null);
  }
}
