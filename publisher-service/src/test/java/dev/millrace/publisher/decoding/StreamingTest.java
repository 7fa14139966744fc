package dev.millrace.publisher.decoding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.publisher.slots.ReplicationSlot;
import dev.millrace.publisher.slots.SlotStatistics;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Transactions sent in blocks while they are open (D5). */
class StreamingTest {

  private static final int T = 16400;
  private static final String RELATION = "R t d id* name data";
  private static final long PLENTY = 64L << 20;

  @TempDir Path directory;

  private DecodingScene scene;
  private ReplicationSlot slot;
  private final RelationDefinition t = FakeCatalog.table(T, 1, "t", ReplicaIdentity.DEFAULT);

  @BeforeEach
  void open() {
    scene = new DecodingScene(directory);
    scene.catalog.put(1, t);
    scene.catalog.put(1, FakeCatalog.publication(16500, "p", T));
    slot = scene.slot("s", "pgoutput");
  }

  @AfterEach
  void close() {
    scene.close();
  }

  private DecodingScene.Session session(long workMem, String streaming) {
    return scene.session(
        slot,
        0,
        workMem,
        "proto_version",
        streaming.equals("off") ? "1" : "4",
        "publication_names",
        "p",
        "messages",
        "on",
        "streaming",
        streaming);
  }

  private void insert(int xid, int top, int id) {
    scene.insert(xid, top, t, String.valueOf(id), "row", null);
  }

  private static String inserted(int xid, int id) {
    return xid + " I 16400 N(" + id + ",row,N)";
  }

  private static String relation(int xid) {
    return xid + " " + RELATION;
  }

  @Test
  @DisplayName(
      "D5: with every change a block, S E around each, c at the end; positions as PostgreSQL's")
  void immediately() {
    scene.immediately = true;
    try (DecodingScene.Session session = session(PLENTY, "on")) {
      long firstLsn = scene.insert(731, 731, t, "1", "row", null);
      long secondLsn = scene.insert(731, 731, t, "2", "row", null);
      long endLsn = scene.commit(731);
      assertThat(session.read())
          .containsExactly(
              "S 731 first",
              relation(731),
              inserted(731, 1),
              "E",
              "S 731",
              inserted(731, 2),
              "E",
              "c 731");
      assertThat(session.lsns)
          .containsExactly(
              firstLsn, 0L, firstLsn, firstLsn, secondLsn, secondLsn, secondLsn, endLsn);
    }
  }

  @Test
  @DisplayName(
      "D5: the table is told again in every streamed transaction, and known after its commit")
  void relationPerStreamedTransaction() {
    scene.immediately = true;
    try (DecodingScene.Session session = session(PLENTY, "on")) {
      insert(731, 731, 1);
      insert(732, 732, 2);
      scene.commit(732);
      insert(731, 731, 3);
      scene.commit(731);
      assertThat(session.read())
          .containsExactly(
              "S 731 first",
              relation(731),
              inserted(731, 1),
              "E",
              "S 732 first",
              relation(732),
              inserted(732, 2),
              "E",
              "c 732",
              "S 731",
              inserted(731, 3),
              "E",
              "c 731");
    }
  }

  @Test
  @DisplayName("S19: an aborted savepoint is taken back by A, once for each part that was streamed")
  void abortedSavepoint() {
    scene.immediately = true;
    try (DecodingScene.Session session = session(PLENTY, "on")) {
      insert(731, 731, 1);
      insert(732, 731, 2);
      insert(733, 731, 3);
      scene.abort(732, 731, 733);
      insert(734, 731, 4);
      scene.abort(735, 731); // Nothing of it has been streamed.
      scene.commit(731, 734);
      assertThat(session.read())
          .containsExactly(
              "S 731 first",
              relation(731),
              inserted(731, 1),
              "E",
              "S 731",
              inserted(732, 2),
              "E",
              "S 731",
              inserted(733, 3),
              "E",
              "A 731 733",
              "A 731 732",
              "S 731",
              relation(734),
              inserted(734, 4),
              "E",
              "c 731");
    }
  }

  @Test
  @DisplayName("S21: a transaction that aborts after it was streamed; with parallel, A tells when")
  void abortAfterStreaming() {
    scene.immediately = true;
    for (String streaming : List.of("on", "parallel")) {
      try (DecodingScene.Session session = session(PLENTY, streaming)) {
        insert(731, 731, 1);
        scene.abort(731, 731);
        insert(732, 732, 2);
        scene.commit(732);
        String when = streaming.equals("on") ? "" : " at a time";
        assertThat(session.read())
            .containsExactly(
                "S 731 first",
                relation(731),
                inserted(731, 1),
                "E",
                "A 731 731" + when,
                "S 732 first",
                relation(732),
                inserted(732, 2),
                "E",
                "c 732");
        slot.confirm(session.decoder.processedLsn());
      }
    }
  }

  @Test
  @DisplayName(
      "S20: only what passes the limit is streamed; blocks of two alternate and never nest")
  void interleaved() {
    try (DecodingScene.Session session = session(4096, "on")) {
      for (int i = 0; i < 300; i++) {
        insert(731 + i % 2, 731 + i % 2, i);
      }
      insert(740, 740, 1000);
      scene.commit(740);
      scene.commit(732);
      scene.commit(731);
      session.read();
      List<String> lines = session.messages.stream().map(DecodingScene::showPlain).toList();
      assertThat(lines).contains("S 731 first", "S 732 first", "S 731", "S 732", "B 740");
      StreamReplay replay = new StreamReplay(DecodingScene::showPlain);
      session.messages.forEach(replay::add);
      List<List<String>> committed = replay.committed();
      assertThat(committed).extracting(List::size).containsExactly(1, 150, 150);
      assertThat(replay.openXids()).isEmpty();
      SlotStatistics statistics = slot.statistics();
      assertThat(statistics.streamTxns.sum()).isEqualTo(2);
      assertThat(statistics.streamCount.sum()).isEqualTo(replay.blocks());
      assertThat(statistics.streamBytes.sum()).isPositive();
      assertThat(statistics.totalTxns.sum()).isEqualTo(3);
      assertThat(statistics.spillCount.sum()).isZero();
    }
  }

  @Test
  @DisplayName("D5: before the start position a transaction is spilled, behind it streamed whole")
  void spilledUntilItCanBeStreamed() {
    long firstLsn = scene.insert(731, 731, t, "0", "row", null);
    for (int i = 1; i < 150; i++) {
      insert(731, 731, i);
    }
    insert(732, 732, 1000);
    long startLsn = scene.commit(732);
    slot.noteRestartCandidate(firstLsn, startLsn, 731);
    slot.confirm(startLsn);
    for (int i = 150; i < 300; i++) {
      insert(731, 731, i);
    }
    scene.commit(731);
    try (DecodingScene.Session session = session(4096, "on")) {
      session.read();
      assertThat(slot.statistics().spillCount.sum()).isPositive();
      assertThat(slot.statistics().streamCount.sum()).isPositive();
      List<List<String>> committed = StreamReplay.of(session.messages, DecodingScene::showPlain);
      assertThat(committed).hasSize(1);
      assertThat(committed.get(0)).hasSize(300).first().isEqualTo("I 16400 N(0,row,N)");
    }
  }

  @Test
  @DisplayName("S23: a message of an open transaction is in its block, any other outside of blocks")
  void messages() {
    scene.immediately = true;
    try (DecodingScene.Session session = session(PLENTY, "on")) {
      insert(731, 731, 1);
      scene.message(731, true, "in", "x");
      scene.message(731, false, "out", "y");
      scene.commit(731);
      assertThat(session.read())
          .containsExactly(
              "S 731 first",
              relation(731),
              inserted(731, 1),
              "E",
              "S 731",
              "731 M true in x",
              "E",
              "M false out y",
              "c 731");
    }
  }

  @Test
  @DisplayName("G1: O stands in the first block only and carries no position of its origin there")
  void origin() {
    scene.immediately = true;
    try (DecodingScene.Session session = session(PLENTY, "on")) {
      int far = DecodingScene.FAR;
      long firstLsn = scene.insertFrom(DecodingScene.DATABASE, far, 731, t, "1", "a", null);
      scene.insertFrom(DecodingScene.DATABASE, far, 731, t, "2", "b", null);
      scene.commitFrom(DecodingScene.DATABASE, far, 731);
      assertThat(session.read().stream().filter(line -> !line.contains(" I ")))
          .containsExactly("S 731 first", "O far 0", relation(731), "E", "S 731", "E", "c 731");
      assertThat(session.lsns.subList(0, 2)).containsExactly(0L, firstLsn);
    }
  }

  @Test
  @DisplayName("C2: a table changed meanwhile is told again after an older streamed transaction")
  void definitionChangedMeanwhile() {
    RelationDefinition second = FakeCatalog.table(T, 2, "t2", ReplicaIdentity.DEFAULT);
    scene.catalog.put(1, second);
    try (DecodingScene.Session session = session(4096, "on")) {
      for (int i = 0; i < 60; i++) {
        insert(731, 731, i);
      }
      session.read();
      scene.insert(732, 732, second, "1000", "row", null);
      scene.commit(732);
      assertThat(session.read()).contains("R t2 d id* name data");
      scene.commit(731);
      scene.insert(733, 733, second, "1001", "row", null);
      scene.commit(733);
      assertThat(session.read()).containsSubsequence("c 731", "B 733", "R t2 d id* name data", "C");
    }
  }

  @Test
  @DisplayName(
      "C2: a block sees what its transaction had changed in the catalogue by then, and no more")
  void ownCatalogChanges() {
    RelationDefinition hidden = FakeCatalog.table(16410, 1, "hidden", ReplicaIdentity.DEFAULT);
    scene.catalog.put(1, hidden);
    scene.immediately = true;
    try (DecodingScene.Session session = session(PLENTY, "on")) {
      scene.insert(731, 731, hidden, "1", "a", null);
      scene.catalogChange(732, 731, "p:16410");
      scene.insert(731, 731, hidden, "2", "b", null);
      scene.insert(733, 733, hidden, "3", "c", null);
      scene.abort(732, 731);
      scene.insert(731, 731, hidden, "4", "d", null);
      scene.commit(731);
      assertThat(session.read())
          .containsExactly(
              "S 731 first", "731 R hidden d id* name data", "731 I 16410 N(2,b,N)", "E", "c 731");
    }
  }

  @Test
  @DisplayName("A reader that went away in a block gets the transaction anew, first_segment set")
  void streamedAgain() {
    try (DecodingScene.Session session = session(4096, "on")) {
      for (int i = 0; i < 100; i++) {
        insert(731, 731, i);
      }
      assertThat(session.read()).contains("S 731 first");
    }
    insert(731, 731, 100);
    scene.commit(731);
    try (DecodingScene.Session session = session(4096, "on")) {
      session.read();
      assertThat(StreamReplay.of(session.messages, DecodingScene::showPlain).get(0)).hasSize(101);
    }
  }

  /** Without those of which nothing is left: a streamed one is told of all the same. */
  private static List<List<String>> committed(DecodingScene.Session session) {
    return StreamReplay.of(session.messages, DecodingScene::showPlain).stream()
        .filter(transaction -> !transaction.isEmpty())
        .toList();
  }

  @Test
  @DisplayName(
      "D5, S18-S21: streamed for every work memory from one change up, the result is the same")
  void everyWorkMemory() {
    long seed = new Random().nextLong();
    RandomTransactions.write(scene, t, new Random(seed), 500);
    List<List<String>> expected;
    try (DecodingScene.Session whole = session(PLENTY, "off")) {
      whole.read();
      expected = committed(whole);
    }
    assertThat(expected).as("seed " + seed).isNotEmpty();
    List<Long> limits = new ArrayList<>(List.of(0L));
    for (long workMem = 1; workMem < 80_000; workMem += 512) {
      limits.add(workMem);
    }
    for (long workMem : limits) {
      scene.immediately = workMem == 0;
      try (DecodingScene.Session session = session(workMem, workMem % 2 == 0 ? "on" : "parallel")) {
        session.read();
        List<List<String>> committed = committed(session);
        String about = "seed " + seed + " work_mem " + workMem;
        assertThat(committed).as(about).isEqualTo(expected);
      }
    }
    assertThat(slot.statistics().streamTxns.sum()).isPositive();
  }
}
