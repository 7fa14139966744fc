package dev.millrace.publisher.decoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.publisher.slots.SlotStatistics;
import dev.millrace.publisher.wal.WalRecordType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReorderBufferTest {

  private static final long SEGMENT = 0x10000;
  private static final int[] NONE = {};

  @TempDir Path directory;

  private final SlotStatistics statistics = new SlotStatistics();
  private long nextLsn = 0x1000028;

  @Test
  @DisplayName("D3: interleaved transactions come out whole, in commit order and LSN order")
  void commitOrder() {
    try (ReorderBuffer buffer = buffer(1 << 20)) {
      add(buffer, 840, 840, "a1");
      add(buffer, 841, 841, "b1");
      add(buffer, 840, 840, "a2");
      add(buffer, 841, 841, "b2");

      assertThat(commit(buffer, 841)).containsExactly("b1", "b2");
      assertThat(commit(buffer, 840)).containsExactly("a1", "a2");
      assertThat(buffer.size()).isZero();
    }
  }

  @Test
  @DisplayName("D3: an abort frees its transaction at once; a commit of it then has nothing")
  void abortFrees() {
    try (ReorderBuffer buffer = buffer(1 << 20)) {
      add(buffer, 5, 5, "x");
      assertThat(buffer.size()).isPositive();
      buffer.abort(5, 5);
      assertThat(buffer.size()).isZero();
      assertThat(buffer.commit(5, NONE, failingSink())).isFalse();
    }
  }

  @Test
  @DisplayName("D3: a rolled-back subtransaction is cut, its released child with it")
  void subtransactionIsCut() {
    try (ReorderBuffer buffer = buffer(1 << 20)) {
      add(buffer, 10, 10, "top");
      add(buffer, 11, 10, "sub");
      add(buffer, 12, 10, "child");
      add(buffer, 11, 10, "sub again");
      buffer.abort(11, 10, new int[] {12});
      add(buffer, 10, 10, "after");
      assertThat(buffer.view().transactions().get(0).changes()).isEqualTo(2);
      assertThat(commit(buffer, 10)).containsExactly("top", "after");
    }
  }

  @Test
  @DisplayName("D3: changes of a subtransaction that the commit record does not name are left out")
  void unnamedSubtransactionIsLeftOut() {
    try (ReorderBuffer buffer = buffer(1 << 20)) {
      add(buffer, 10, 10, "top");
      add(buffer, 11, 10, "lost");
      add(buffer, 12, 10, "kept");
      assertThat(commit(buffer, 10, 12)).containsExactly("top", "kept");
    }
  }

  @Test
  @DisplayName("D4: reaching the limit spills the largest transaction, one file per log segment")
  void spillsLargest() throws IOException {
    try (ReorderBuffer buffer = buffer(4096)) {
      nextLsn = 0xA_0001_FF00L;
      add(buffer, 7, 7, "small");
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        String text = "row " + i + " ".repeat(100);
        expected.add(text);
        add(buffer, 8, 8, text);
      }
      ReorderBufferView view = buffer.view();
      assertThat(view.transactions())
          .extracting(ReorderBufferView.TransactionView::serialized)
          .containsExactly(false, true);
      assertThat(view.size()).isLessThan(4096);
      assertThat(spillFiles())
          .containsExactly("xid-8-lsn-A-10000.spill", "xid-8-lsn-A-20000.spill");
      assertThat(statistics.spillTxns.sum()).isEqualTo(1);
      assertThat(statistics.spillCount.sum()).isGreaterThan(1);
      assertThat(statistics.spillBytes.sum()).isPositive();

      assertThat(commit(buffer, 8)).isEqualTo(expected);
      assertThat(spillFiles()).isEmpty();
      assertThat(commit(buffer, 7)).containsExactly("small");
      assertThat(statistics.totalTxns.sum()).isEqualTo(2);
    }
  }

  @Test
  @DisplayName("D4: spill files go at abort, at close, and at the next start")
  void filesAreRemoved() throws IOException {
    try (ReorderBuffer buffer = buffer(1)) {
      add(buffer, 7, 7, "one");
      add(buffer, 8, 8, "two");
      assertThat(spillFiles()).hasSize(2);
      buffer.abort(7, 7);
      assertThat(spillFiles()).hasSize(1);
    }
    assertThat(spillFiles()).isEmpty();

    Files.writeString(directory.resolve("xid-9-lsn-0-1000000.spill"), "left by a killed process");
    Files.writeString(directory.resolve("state"), "not ours");
    try (ReorderBuffer buffer = buffer(1)) {
      assertThat(spillFiles()).containsExactly("state");
      assertThat(buffer.size()).isZero();
    }
  }

  @Test
  @DisplayName("D4: a sink that fails leaves neither memory nor files behind")
  void failingSinkLeavesNothing() throws IOException {
    try (ReorderBuffer buffer = buffer(1)) {
      add(buffer, 7, 7, "one");
      assertThatThrownBy(() -> buffer.commit(7, NONE, failingSink()))
          .isInstanceOf(IllegalStateException.class);
      assertThat(buffer.size()).isZero();
      assertThat(spillFiles()).isEmpty();
    }
  }

  @Test
  @DisplayName("D4: a damaged spill file is refused, not replayed")
  void damagedFileIsRefused() throws IOException {
    try (ReorderBuffer buffer = buffer(1)) {
      add(buffer, 7, 7, "one");
      Path file = directory.resolve(spillFiles().get(0));
      byte[] bytes = Files.readAllBytes(file);
      bytes[SpillFiles.MAGIC.length] = 0x7F;
      Files.write(file, bytes);
      assertThatThrownBy(() -> buffer.commit(7, NONE, failingSink()))
          .hasMessageContaining("is damaged");
    }
  }

  @Test
  @DisplayName("D4: the bytes of a spill file are those its format says")
  void spillFileFormat() throws IOException {
    try (ReorderBuffer buffer = buffer(1)) {
      byte[] body = {9, 1, 2, 3};
      buffer.change(
          0x80000001, 0x80000000, 0x1_0002_0304L, WalRecordType.UPDATE, 5, 0xABCD, body, 1, 3);
      assertThat(spillFiles()).containsExactly("xid-2147483648-lsn-1-20000.spill");
      byte[] bytes = Files.readAllBytes(directory.resolve(spillFiles().get(0)));
      assertThat(HexFormat.of().formatHex(bytes))
          .isEqualTo(
              "4d525350494c4c31" // MRSPILL1
                  + "00000017" // length 23
                  + "55" // U
                  + "05"
                  + "abcd"
                  + "0000000100020304"
                  + "80000001"
                  + "010203");
    }
  }

  @Test
  @DisplayName("The limit of all buffers together spills in the buffer that passes it")
  void sharedLimit() {
    DecodingMemory shared = new DecodingMemory(() -> 64 * 1024);
    try (ReorderBuffer one =
            new ReorderBuffer(directory.resolve("one"), 1 << 20, SEGMENT, null, shared);
        ReorderBuffer two =
            new ReorderBuffer(directory.resolve("two"), 1 << 20, SEGMENT, null, shared)) {
      for (int i = 0; i < 60; i++) {
        add(one, 7, 7, "x".repeat(500));
        add(two, 8, 8, "x".repeat(500));
      }
      assertThat(shared.used()).isLessThan(64 * 1024 + 2 * 4096);
      assertThat(shared.used()).isEqualTo(one.size() + two.size());
    }
    assertThat(shared.used()).isZero();
  }

  @Test
  @DisplayName("S18: every limit gives the same transactions as a model that keeps plain lists")
  void sameForEveryLimit() throws IOException {
    long seed = new Random().nextLong();
    for (long limit : new long[] {1, 600, 3_000, 20_000, 200_000, Long.MAX_VALUE}) {
      try (ReorderBuffer buffer = buffer(limit)) {
        new Model(buffer, seed, "seed " + seed + ", limit " + limit).run();
        assertThat(buffer.size()).isZero();
      }
      assertThat(spillFiles()).isEmpty();
    }
  }

  /** Random sessions with nested savepoints against plain lists. */
  private final class Model {
    private record Change(int xid, String text) {}

    private static final class Session {
      int top;
      final List<List<Integer>> savepoints = new ArrayList<>();
      final List<Change> changes = new ArrayList<>();
      final List<Integer> committed = new ArrayList<>();
    }

    private final ReorderBuffer buffer;
    private final Random random;
    private final String about;
    private final Map<Integer, Session> sessions = new TreeMap<>();
    private int nextXid = 731;

    Model(ReorderBuffer buffer, long seed, String about) {
      this.buffer = buffer;
      this.random = new Random(seed);
      this.about = about;
    }

    void run() {
      for (int step = 0; step < 4_000; step++) {
        act(sessions.computeIfAbsent(random.nextInt(5), n -> new Session()));
      }
      for (Session session : sessions.values()) {
        if (session.top != 0) {
          finish(session);
        }
      }
    }

    private void act(Session session) {
      if (session.top == 0) {
        session.top = nextXid++;
      }
      int action = random.nextInt(100);
      if (action < 80) {
        change(session);
      } else if (action < 87) {
        session.savepoints.add(new ArrayList<>(List.of(nextXid++)));
      } else if (action < 91 && !session.savepoints.isEmpty()) {
        release(session);
      } else if (action < 96 && !session.savepoints.isEmpty()) {
        rollBackTo(session);
      } else if (action < 98) {
        finish(session);
      } else if (action < 99) {
        buffer.abort(session.top, session.top);
        reset(session);
      }
    }

    private void change(Session session) {
      int depth = session.savepoints.size();
      int xid = depth == 0 ? session.top : session.savepoints.get(depth - 1).get(0);
      int length = random.nextInt(20) == 0 ? random.nextInt(90_000) : random.nextInt(120);
      String text = nextLsn + ":" + "y".repeat(length);
      session.changes.add(new Change(xid, text));
      add(buffer, xid, session.top, text);
    }

    private void release(Session session) {
      List<Integer> ended = session.savepoints.remove(session.savepoints.size() - 1);
      if (session.savepoints.isEmpty()) {
        session.committed.addAll(ended);
      } else {
        session.savepoints.get(session.savepoints.size() - 1).addAll(ended);
      }
    }

    private void rollBackTo(Session session) {
      List<Integer> ended = session.savepoints.remove(session.savepoints.size() - 1);
      session.changes.removeIf(change -> ended.contains(change.xid));
      int[] children = ended.stream().skip(1).mapToInt(Integer::intValue).toArray();
      buffer.abort(ended.get(0), session.top, children);
    }

    private void finish(Session session) {
      while (!session.savepoints.isEmpty()) {
        release(session);
      }
      int[] subxids = session.committed.stream().mapToInt(Integer::intValue).toArray();
      assertThat(commit(buffer, session.top, subxids))
          .as(about)
          .isEqualTo(session.changes.stream().map(Change::text).toList());
      reset(session);
    }

    private void reset(Session session) {
      session.top = 0;
      session.savepoints.clear();
      session.changes.clear();
      session.committed.clear();
    }
  }

  private ReorderBuffer buffer(long workMem) {
    return new ReorderBuffer(directory, workMem, SEGMENT, statistics);
  }

  private void add(ReorderBuffer buffer, int xid, int topXid, String text) {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    buffer.change(xid, topXid, nextLsn, WalRecordType.INSERT, 3, 9, body, 0, body.length);
    nextLsn += 32 + body.length;
  }

  private static List<String> commit(ReorderBuffer buffer, int xid, int... subxids) {
    List<String> texts = new ArrayList<>();
    long[] lastLsn = {0};
    buffer.commit(
        xid,
        subxids,
        (changeXid, lsn, type, flags, originId, bytes, offset, length) -> {
          assertThat(lsn).isGreaterThan(lastLsn[0]);
          assertThat(type).isEqualTo(WalRecordType.INSERT);
          assertThat(flags).isEqualTo(3);
          assertThat(originId).isEqualTo(9);
          lastLsn[0] = lsn;
          texts.add(new String(bytes, offset, length, StandardCharsets.UTF_8));
        });
    return texts;
  }

  private static ReorderBuffer.Sink failingSink() {
    return (xid, lsn, type, flags, originId, buffer, offset, length) -> {
      throw new IllegalStateException("the consumer has gone");
    };
  }

  private List<String> spillFiles() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }
}
