package dev.millrace.publisher.decoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.Lsn;
import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.PgType;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.publisher.slots.ReplicationSlot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogicalDecoderTest {

  private static final int T = 16400;
  private static final int HIDDEN = 16410;

  @TempDir Path directory;

  private DecodingScene scene;
  private ReplicationSlot slot;
  private final RelationDefinition t = FakeCatalog.table(T, 1, "t", ReplicaIdentity.DEFAULT);
  private final RelationDefinition hidden =
      FakeCatalog.table(HIDDEN, 1, "hidden", ReplicaIdentity.DEFAULT);

  @BeforeEach
  void open() {
    scene = new DecodingScene(directory);
    scene.catalog.put(1, t);
    scene.catalog.put(1, hidden);
    scene.catalog.put(1, FakeCatalog.publication(16500, "p", T));
    slot = scene.slot("s", "pgoutput");
  }

  @AfterEach
  void close() {
    scene.close();
  }

  private void insert(int xid, int top, int id) {
    scene.insert(xid, top, t, String.valueOf(id), "row", null);
  }

  private static String inserted(int id) {
    return "I 16400 N(" + id + ",row,N)";
  }

  private static final String RELATION = "R t d id* name data";

  @Test
  @DisplayName("S16: only what committed is sent, as one unit, in commit order; aborted never")
  void commitOrder() {
    try (DecodingScene.Session session = scene.pgoutput(slot, "p")) {
      insert(731, 731, 1);
      insert(732, 732, 2);
      scene.commit(732);
      assertThat(session.read()).containsExactly("B 732", RELATION, inserted(2), "C");
      insert(731, 731, 3);
      scene.commit(731);
      assertThat(session.read()).containsExactly("B 731", inserted(1), inserted(3), "C");
      insert(733, 733, 4);
      scene.abort(733, 733);
      assertThat(session.read()).isEmpty();
      assertThat(session.decoder.processedLsn()).isEqualTo(scene.log.flushLsn());
    }
  }

  @Test
  @DisplayName("S17: released subtransactions come in execution order, rolled-back ones not at all")
  void savepoints() {
    try (DecodingScene.Session session = scene.pgoutput(slot, "p")) {
      insert(731, 731, 1);
      insert(732, 731, 2); // released a
      insert(732, 731, 3);
      insert(733, 731, 4); // b with the released c in it
      insert(734, 731, 5);
      insert(733, 731, 6);
      insert(735, 731, 7); // rolled back with its child
      insert(736, 731, 8);
      scene.abort(735, 731, 736);
      insert(731, 731, 9);
      scene.commit(731, 732, 733, 734);
      assertThat(session.read())
          .containsExactly(
              "B 731",
              RELATION,
              inserted(1),
              inserted(2),
              inserted(3),
              inserted(4),
              inserted(5),
              inserted(6),
              inserted(9),
              "C");
    }
  }

  @Test
  @DisplayName("S17: eighty nested savepoints, the first write deep inside")
  void nestedSavepoints() {
    try (DecodingScene.Session session = scene.pgoutput(slot, "p")) {
      int top = 731;
      insert(top + 80, top, 1);
      insert(top + 80, top, 2);
      insert(top + 80, top, 3);
      insert(top, top, 4);
      scene.commit(top, top + 80);
      assertThat(session.read())
          .containsExactly(
              "B 731", RELATION, inserted(1), inserted(2), inserted(3), inserted(4), "C");
    }
  }

  @Test
  @DisplayName("S18: spilled transactions give the same as unspilled ones; no spill file is left")
  void spillMatrix() throws Exception {
    for (int[] pieces :
        new int[][] {{3000, 0}, {0, 3000}, {3000, 3000}, {3000, 1}, {1, 3000}, {1, 1}}) {
      long spilledBefore = slot.statistics().spillTxns.sum();
      int top = 1000;
      List<String> expected = new ArrayList<>();
      for (int piece = 0; piece < pieces.length; piece++) {
        for (int i = 0; i < pieces[piece]; i++) {
          insert(top + piece, top, piece * 10_000 + i);
          expected.add(inserted(piece * 10_000 + i));
        }
      }
      insert(top + 2, top, 99_999);
      scene.abort(top + 2, top);
      scene.message(top, true, "m", "x");
      scene.commit(top, top + 1);
      try (DecodingScene.Session session =
          scene.session(slot, 0, 64 * 1024, "proto_version", "1", "publication_names", "p")) {
        List<String> read = session.read();
        assertThat(read.subList(2, read.size() - 1)).isEqualTo(expected);
        boolean big = pieces[0] + pieces[1] > 100;
        assertThat(slot.statistics().spillTxns.sum() - spilledBefore).isEqualTo(big ? 1 : 0);
        assertThat(session.progressCalls).isEqualTo((expected.size() + 1) / 100);
        slot.confirm(session.decoder.processedLsn());
      }
      try (var files = Files.list(slot.directory())) {
        assertThat(files.map(Path::getFileName).map(Path::toString))
            .noneMatch(name -> name.endsWith(".spill"));
      }
    }
  }

  @Test
  @DisplayName("D1: other databases, unpublished tables and operations do not enter the buffer")
  void gates() {
    scene.catalog.put(2, FakeCatalog.publication(16501, "ins", "insert", HIDDEN));
    try (DecodingScene.Session session = scene.pgoutput(slot, "p, ins")) {
      scene.insertFrom(999, 0, 731, t, "1", "elsewhere", null);
      scene.commitFrom(999, 0, 731);
      scene.delete(732, 732, hidden, 'K', "1", null, null);
      scene.update(732, 732, hidden, "1", "x", null);
      assertThat(session.read()).isEmpty();
      assertThat(session.decoder.view().transactions()).isEmpty();
      scene.insert(732, 732, hidden, "5", "y", null);
      scene.commit(732);
      assertThat(session.read())
          .containsExactly("B 732", "R hidden d id* name data", "I 16410 N(5,y,N)", "C");
    }
  }

  @Test
  @DisplayName("C2: membership is judged at the LSN of each change, not at its commit")
  void membershipByLsn() {
    try (DecodingScene.Session session = scene.pgoutput(slot, "p")) {
      scene.insert(731, 731, hidden, "1", "before", null);
      scene.catalogChange(732, 732, "p:" + HIDDEN);
      scene.insert(731, 731, hidden, "2", "not committed yet", null);
      scene.catalog.put(scene.commit(732), FakeCatalog.publication(16500, "p", T, HIDDEN));
      scene.insert(731, 731, hidden, "3", "after", null);
      scene.commit(731);
      assertThat(session.read())
          .containsExactly("B 731", "R hidden d id* name data", "I 16410 N(3,after,N)", "C");
    }
  }

  @Test
  @DisplayName("C2: a transaction sees its own publication change at once, until it rolls it back")
  void ownCatalogChanges() {
    try (DecodingScene.Session session = scene.pgoutput(slot, "p")) {
      scene.catalogChange(732, 731, "p:" + HIDDEN);
      scene.insert(732, 731, hidden, "1", "own", null);
      scene.insert(740, 740, hidden, "2", "other", null);
      scene.commit(740);
      assertThat(session.read()).isEmpty();
      scene.insert(731, 731, hidden, "3", "own too", null);
      scene.catalogChange(733, 731, "p:" + 999);
      scene.abort(733, 731);
      scene.catalog.put(scene.commit(731, 732), FakeCatalog.publication(16500, "p", T, HIDDEN));
      assertThat(session.read())
          .containsExactly(
              "B 731",
              "R hidden d id* name data",
              "I 16410 N(1,own,N)",
              "I 16410 N(3,own too,N)",
              "C");

      scene.catalogChange(751, 750, "q:" + HIDDEN);
      scene.abort(751, 750);
      scene.insert(750, 750, hidden, "4", "still published", null);
      scene.commit(750);
      assertThat(session.read()).containsExactly("B 750", "I 16410 N(4,still published,N)", "C");
    }
  }

  @Test
  @DisplayName("O2: R comes again after the definition changed, and in a new session")
  void relationAgain() {
    ColumnDefinition extra = FakeCatalog.column(4, "extra", PgType.INT4, false);
    RelationDefinition altered = FakeCatalog.table(T, 2, "t", ReplicaIdentity.FULL, extra);
    try (DecodingScene.Session session = scene.pgoutput(slot, "p")) {
      insert(731, 731, 1);
      scene.commit(731);
      insert(732, 732, 2);
      scene.commit(732);
      scene.catalogChange(733, 733, "p:" + T);
      scene.catalog.put(scene.commit(733), altered);
      scene.update(
          734, 734, altered, 'O', new String[] {"2", "row", null, null}, "2", "row", "7", "8");
      scene.commit(734);
      assertThat(session.read())
          .containsExactly(
              "B 731",
              RELATION,
              inserted(1),
              "C",
              "B 732",
              inserted(2),
              "C",
              "B 734",
              "R t f id* name* data* extra*",
              "U 16400 O(2,row,N,N) N(2,row,7,8)",
              "C");
    }
    try (DecodingScene.Session session = scene.pgoutput(slot, "p")) {
      assertThat(session.read().get(1)).isEqualTo(RELATION);
    }
  }

  @Test
  @DisplayName("O2: old keys, unchanged large values, truncate, generated columns, no old row")
  void shapes() {
    ColumnDefinition generated =
        new ColumnDefinition(4, "g", PgType.INT4, -1, false, (char) 0, 's');
    RelationDefinition g = FakeCatalog.table(T, 2, "t", ReplicaIdentity.DEFAULT, generated);
    scene.catalog.put(2, g);
    try (DecodingScene.Session session = scene.pgoutput(slot, "p")) {
      scene.insert(731, 731, g, "1", "a", "2", "99");
      scene.update(
          731,
          731,
          g,
          'K',
          new String[] {"1", null, null, null},
          "2",
          DecodingScene.UNCHANGED,
          null,
          "98");
      scene.delete(731, 731, g, (char) 0);
      scene.truncate(731, 731, 3, hidden, g);
      scene.truncate(731, 731, 0, hidden);
      scene.commit(731);
      assertThat(session.read())
          .containsExactly(
              "B 731",
              RELATION,
              "I 16400 N(1,a,2)",
              "U 16400 K(1,N,N) N(2,U,N)",
              "T 3 [16400]",
              "C");
    }
  }

  @Test
  @DisplayName("C1: publish_generated_columns holds as of each change; R follows it")
  void storedGeneratedColumns() {
    ColumnDefinition generated =
        new ColumnDefinition(4, "g", PgType.INT4, -1, false, (char) 0, 's');
    RelationDefinition g = FakeCatalog.table(T, 2, "t", ReplicaIdentity.DEFAULT, generated);
    scene.catalog.put(2, g);
    try (DecodingScene.Session session = scene.pgoutput(slot, "p")) {
      scene.insert(731, 731, g, "1", "a", "2", "99");
      scene.catalogChange(732, 732, "p:" + 1);
      scene.catalog.put(scene.commit(732), FakeCatalog.storedGenerated(16500, "p", T));
      scene.insert(731, 731, g, "2", "b", "3", "98");
      scene.commit(731);
      assertThat(session.read())
          .containsExactly(
              "B 731",
              RELATION,
              "I 16400 N(1,a,2)",
              "R t d id* name data g",
              "I 16400 N(2,b,3,98)",
              "C");
    }
    scene.catalog.put(scene.log.insertLsn(), FakeCatalog.publication(16501, "q", T));
    scene.insert(733, 733, g, "3", "c", "4", "97");
    scene.commit(733);
    try (DecodingScene.Session session = scene.pgoutput(slot, "p,q")) {
      assertThatThrownBy(session::read)
          .hasMessage(
              "cannot use different values of publish_generated_columns for table \"public.t\" in"
                  + " different publications");
    }
  }

  @Test
  @DisplayName("O2: messages are sent when asked for; one outside transactions at once")
  void messages() {
    try (DecodingScene.Session session =
        scene.session(
            slot, 0, "proto_version", "1", "publication_names", "p", "messages", "true")) {
      scene.message(731, true, "tx", "one");
      scene.message(732, false, "now", "two");
      assertThat(session.read()).containsExactly("M false now two");
      scene.commit(731);
      assertThat(session.read()).containsExactly("B 731", "M true tx one", "C");
    }
    try (DecodingScene.Session session = scene.pgoutput(slot, "p")) {
      assertThat(session.read()).isEmpty();
    }
  }

  @Test
  @DisplayName("D6: only what commits at or after the start LSN and confirmed_flush_lsn is sent")
  void startPosition() {
    insert(731, 731, 1);
    insert(732, 732, 2);
    long afterFirst = scene.commit(732);
    insert(733, 733, 3);
    long afterSecond = scene.commit(733);
    scene.commit(731);
    scene.log.flush(scene.log.insertLsn());
    slot.confirm(afterFirst);
    try (DecodingScene.Session session = scene.pgoutput(slot, "p")) {
      assertThat(session.decoder.processedLsn()).isEqualTo(afterFirst);
      assertThat(session.read())
          .containsExactly("B 733", RELATION, inserted(3), "C", "B 731", inserted(1), "C");
    }
    try (DecodingScene.Session session =
        scene.session(slot, afterSecond, "proto_version", "1", "publication_names", "p")) {
      assertThat(session.read()).containsExactly("B 731", RELATION, inserted(1), "C");
    }
    long beyond = scene.log.flushLsn() + 1;
    assertThatThrownBy(() -> scene.session(slot, beyond, "proto_version", "1"))
        .hasMessageContaining("is ahead of the WAL flush position")
        .extracting(e -> ((PgException) e).sqlState())
        .isEqualTo("55000");
  }

  @Test
  @DisplayName("C3: restart_lsn waits for the transactions unfinished at the confirmed position")
  void restartCandidates() {
    long first = scene.insert(731, 731, hidden, "1", "filtered out, still counted", null);
    insert(732, 732, 2);
    long afterSecond = scene.commit(732);
    try (DecodingScene.Session session = scene.pgoutput(slot, "p")) {
      session.read();
      slot.confirm(afterSecond);
      assertThat(slot.restartLsn()).isEqualTo(first);
      long afterFirst = scene.commit(731);
      session.read();
      assertThat(slot.restartLsn()).isEqualTo(first);
      slot.confirm(afterFirst);
      assertThat(slot.restartLsn()).isEqualTo(afterFirst);
      assertThat(slot.catalogXmin()).isEqualTo(733);
    }
  }

  @Test
  @DisplayName("C3: fast forward notes the same candidates without sending anything")
  void fastForward() {
    insert(731, 731, 1);
    scene.commit(731);
    long third = scene.insert(733, 733, t, "3", "open", null);
    scene.log.flush(scene.log.insertLsn());
    try (LogicalDecoding.DecodingSession session = scene.decoding.startFastForward(slot)) {
      boolean more = true;
      while (more) {
        more = session.step();
      }
      slot.confirm(session.processedLsn());
      assertThat(slot.confirmedFlushLsn()).isEqualTo(scene.log.flushLsn());
      assertThat(slot.restartLsn()).isEqualTo(third);
    }
  }

  @Test
  @DisplayName("An unknown publication is warned of and left out")
  void missingPublication() {
    insert(731, 731, 1);
    scene.commit(731);
    try (DecodingScene.Session session = scene.pgoutput(slot, "absent, p")) {
      assertThat(session.read()).containsExactly("B 731", RELATION, inserted(1), "C");
      assertThat(session.notices)
          .containsExactly(
              new Notice(
                  "WARNING",
                  "55000",
                  "skipped loading publication \"absent\"",
                  "The publication does not exist at this point in the WAL.",
                  "Create the publication if it does not exist."));
    }
  }

  @Test
  @DisplayName("C5: a plugin's error names slot, plugin, callback and LSN")
  void errorContext() {
    assertThatThrownBy(() -> scene.session(slot, 0, "proto_version", "x"))
        .hasMessage("invalid proto_version")
        .extracting(e -> ((PgException) e).context())
        .isEqualTo("slot \"s\", output plugin \"pgoutput\", in the startup callback");
    ReplicationSlot other = scene.slot("other", "test_decoding");
    long bad = scene.insert(731, 731, t, "1", "x", "2");
    scene.commit(731);
    try (DecodingScene.Session session = scene.session(other, 0)) {
      session.failAtPrepare(2);
      assertThatThrownBy(session::read)
          .extracting(e -> ((PgException) e).context())
          .isEqualTo(
              "slot \"other\", output plugin \"test_decoding\", in the change callback,"
                  + " associated LSN "
                  + Lsn.format(bad));
    }
  }

  @Test
  @DisplayName("C5: an unknown plugin is refused as a library that cannot be loaded")
  void unknownPlugin() {
    ReplicationSlot failing = scene.slot("failing", "no_such_plugin");
    assertThatThrownBy(() -> scene.session(failing, 0))
        .hasMessage("could not access file \"no_such_plugin\": No such file or directory");
    assertThatThrownBy(() -> scene.decoding.requirePlugin("nope"))
        .extracting(e -> ((PgException) e).sqlState())
        .isEqualTo("58P01");
  }

  @Test
  @DisplayName("D7: statistics count transactions and bytes sent")
  void statistics() {
    try (DecodingScene.Session session = scene.pgoutput(slot, "p")) {
      insert(731, 731, 1);
      scene.commit(731);
      insert(732, 732, 1);
      scene.abort(732, 732);
      session.read();
    }
    assertThat(slot.statistics().totalTxns.sum()).isEqualTo(1);
    assertThat(slot.statistics().totalBytes.sum()).isPositive();
    assertThat(slot.statistics().spillTxns.sum()).isZero();
  }
}
