package dev.millrace.publisher.decoding;

import dev.millrace.model.RelationDefinition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/** Records of several sessions at random, as sessions of ours would log them. */
final class RandomTransactions {

  private static final class Open {
    final int topXid;
    final Deque<List<Integer>> savepoints = new ArrayDeque<>();
    final List<Integer> committed = new ArrayList<>();

    Open(int topXid) {
      this.topXid = topXid;
    }

    int xid() {
      return savepoints.isEmpty() ? topXid : savepoints.peek().get(0);
    }
  }

  private final DecodingScene scene;
  private final RelationDefinition table;
  private final Random random;
  private final List<Open> open = new ArrayList<>();
  private final boolean prepares;
  private final List<Open> prepared = new ArrayList<>();
  private int nextXid = 731;
  private int nextId;

  private RandomTransactions(
      DecodingScene scene, RelationDefinition table, Random random, boolean prepares) {
    this.scene = scene;
    this.table = table;
    this.random = random;
    this.prepares = prepares;
  }

  static void write(DecodingScene scene, RelationDefinition table, Random random, int steps) {
    new RandomTransactions(scene, table, random, false).write(steps);
  }

  /** As above; some transactions are prepared and end later, or not before the end. */
  static void writeWithPrepares(
      DecodingScene scene, RelationDefinition table, Random random, int steps) {
    new RandomTransactions(scene, table, random, true).write(steps);
  }

  private void write(int steps) {
    for (int step = 0; step < steps; step++) {
      step();
    }
    while (!open.isEmpty()) {
      end(open.get(0), true);
    }
    while (!prepared.isEmpty()) {
      finishPrepared();
    }
  }

  private void finishPrepared() {
    Open txn = prepared.remove(random.nextInt(prepared.size()));
    boolean commit = random.nextInt(3) > 0;
    scene.finishPrepared(commit, 0, txn.topXid, gid(txn), committed(txn));
  }

  private static String gid(Open txn) {
    return "g" + txn.topXid;
  }

  private static int[] committed(Open txn) {
    return txn.committed.stream().mapToInt(Integer::intValue).toArray();
  }

  private void step() {
    if (open.size() < 3 && random.nextInt(4) == 0) {
      open.add(new Open(nextXid++));
    }
    if (!prepared.isEmpty() && random.nextInt(12) == 0) {
      finishPrepared();
    }
    if (open.isEmpty()) {
      return;
    }
    Open txn = open.get(random.nextInt(open.size()));
    int action = random.nextInt(24);
    if (action < 14) {
      change(txn, action);
    } else if (action < 17) {
      txn.savepoints.push(new ArrayList<>(List.of(nextXid++)));
    } else if (action < 19 && !txn.savepoints.isEmpty()) {
      List<Integer> released = txn.savepoints.pop();
      (txn.savepoints.isEmpty() ? txn.committed : txn.savepoints.peek()).addAll(released);
    } else if (action < 21 && !txn.savepoints.isEmpty()) {
      rollBackSavepoint(txn);
    } else if (action >= 22) {
      end(txn, action == 22 || random.nextBoolean());
    }
  }

  private void change(Open txn, int action) {
    String id = String.valueOf(nextId++);
    int xid = txn.xid();
    if (action == 0) {
      scene.truncate(xid, txn.topXid, random.nextInt(4), table);
    } else if (action == 1) {
      scene.delete(xid, txn.topXid, table, 'K', id, null, null);
    } else if (action == 2) {
      // Names the top transaction also inside a savepoint: an abort must cope with what lies
      // behind.
      scene.message(txn.topXid, txn.topXid, random.nextBoolean(), "m", id);
    } else {
      int rows = random.nextInt(6) == 0 ? 30 : 1;
      for (int row = 0; row < rows; row++) {
        String text = "x".repeat(random.nextInt(100));
        scene.insert(xid, txn.topXid, table, id + "." + row, text, null);
      }
    }
  }

  private void rollBackSavepoint(Open txn) {
    List<Integer> xids = txn.savepoints.pop();
    scene.abort(
        xids.get(0), txn.topXid, xids.stream().skip(1).mapToInt(Integer::intValue).toArray());
  }

  private void end(Open txn, boolean commit) {
    open.remove(txn);
    if (!commit) {
      scene.abort(txn.topXid, txn.topXid);
      return;
    }
    while (!txn.savepoints.isEmpty()) {
      txn.committed.addAll(txn.savepoints.pop());
    }
    if (prepares && random.nextBoolean()) {
      scene.prepare(txn.topXid, gid(txn), committed(txn));
      prepared.add(txn);
    } else {
      scene.commit(txn.topXid, committed(txn));
    }
  }
}
