package dev.millrace.sql;

import dev.millrace.model.PgException;
import java.util.ArrayList;
import java.util.List;

/** Notes what a session asks of it; statements that contain {@code FAIL} fail. */
final class RecordingBackend implements TransactionBackend {

  final List<String> calls = new ArrayList<>();
  boolean commitFails;
  boolean savepointsLost;
  boolean refusesPrepare;

  /** The calls since the last look. */
  List<String> take() {
    List<String> taken = List.copyOf(calls);
    calls.clear();
    return taken;
  }

  @Override
  public void begin(IsolationLevel isolation, boolean readOnly) {
    calls.add("begin" + (isolation == null ? "" : " " + isolation) + (readOnly ? " ro" : ""));
  }

  @Override
  public void commit() {
    calls.add("commit");
    if (commitFails) {
      throw new PgException("58030", "could not write");
    }
  }

  @Override
  public void rollback() {
    calls.add("rollback");
  }

  @Override
  public void prepare(String gid) {
    if (refusesPrepare) {
      TransactionBackend.super.prepare(gid);
    }
    calls.add("prepare " + gid);
  }

  @Override
  public void finishPrepared(String gid, boolean commit) {
    if (refusesPrepare) {
      TransactionBackend.super.finishPrepared(gid, commit);
    }
    calls.add((commit ? "commit" : "rollback") + " prepared " + gid);
  }

  @Override
  public void savepoint(int level) {
    calls.add("savepoint " + level);
  }

  @Override
  public void rollbackToSavepoint(int level) {
    calls.add("rollback to " + level);
    if (savepointsLost) {
      throw new PgException("40001", "the whole transaction was rolled back");
    }
  }

  @Override
  public void releaseSavepoint(int level) {
    calls.add("release " + level);
  }

  @Override
  public StatementResult execute(ParsedStatement statement, StatementContext context) {
    calls.add(
        statement.original()
            + (context.explicitBlock() ? " [block]" : "")
            + (context.alone() ? " [alone]" : "")
            + (context.parameters().isEmpty() ? "" : " " + context.parameters()));
    if (statement.original().contains("FAIL")) {
      throw new PgException("22012", "division by zero");
    }
    return StatementResult.ofCommand("DONE");
  }

  @Override
  public void cancel() {
    calls.add("cancel");
  }

  @Override
  public void close() {
    calls.add("close");
  }
}
