package dev.millrace.publisher.decoding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.model.Lsn;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The interleaved transactions 840 and 841 of seed section 12.4.2. */
class SeedStoryTest {

  @TempDir Path directory;

  private DecodingScene scene;
  private final RelationDefinition tblA =
      FakeCatalog.table(16456, 1, "tbl_a", ReplicaIdentity.DEFAULT);
  private final RelationDefinition tblB =
      FakeCatalog.table(16464, 1, "tbl_b", ReplicaIdentity.DEFAULT);
  private final long[] lsn = new long[9];

  @BeforeEach
  void open() {
    scene = new DecodingScene(directory);
    scene.catalog.put(1, tblA);
    scene.catalog.put(1, tblB);
    scene.catalog.put(1, FakeCatalog.publication(16500, "p", 16456, 16464));
  }

  @AfterEach
  void close() {
    scene.close();
  }

  private void step(int t) {
    lsn[t] =
        switch (t) {
          case 1 -> scene.insert(840, 840, tblA, "2", "Bob", "2");
          case 2 -> scene.insert(841, 841, tblA, "3", "Candy", "3");
          case 3 -> scene.insert(840, 840, tblB, "11", "Luke", "110");
          case 4 -> scene.update(841, 841, tblA, "1", "Alice", "2");
          case 5 -> scene.update(841, 841, tblA, "1", "Alice", "3");
          case 6 -> scene.delete(840, 840, tblB, 'K', "10", null, null);
          case 7 -> scene.commit(840);
          default -> scene.commit(841);
        };
  }

  @Test
  @DisplayName("S47: the ReorderBuffer after each step T1 to T8 and the messages of both")
  void bufferAfterEachStep() {
    try (DecodingScene.Session session = scene.pgoutput(scene.slot("s", "pgoutput"), "p")) {
      assertStep(session, 1, "840 1");
      assertStep(session, 2, "840 1", "841 1");
      assertStep(session, 3, "840 2", "841 1");
      assertStep(session, 4, "840 2", "841 2");
      assertStep(session, 5, "840 2", "841 3");
      assertStep(session, 6, "840 3", "841 3");

      step(7);
      assertThat(session.read())
          .containsExactly(
              "B 840",
              "R tbl_a d id* name data",
              "I 16456 N(2,Bob,2)",
              "R tbl_b d id* name data",
              "I 16464 N(11,Luke,110)",
              "D 16464 K(10,N,N)",
              "C");
      assertThat(session.lsns)
          .containsExactly(lsn[1], 0L, lsn[1], 0L, lsn[3], lsn[6], scene.log.flushLsn());
      assertThat(shown(session)).containsExactly("841 3");

      step(8);
      assertThat(session.read())
          .containsExactly(
              "B 841", "I 16456 N(3,Candy,3)", "U 16456 N(1,Alice,2)", "U 16456 N(1,Alice,3)", "C");
      assertThat(shown(session)).isEmpty();
      assertThat(session.decoder.view().size()).isZero();
    }
  }

  private void assertStep(DecodingScene.Session session, int t, String... expected) {
    step(t);
    assertThat(session.read()).isEmpty();
    assertThat(shown(session)).as("after T" + t).containsExactly(expected);
    ReorderBufferView.TransactionView first = session.decoder.view().transactions().get(0);
    assertThat(first.firstLsn()).isEqualTo(Lsn.format(lsn[1]));
    assertThat(first.finalLsn()).isNull();
    assertThat(session.decoder.processedLsn()).isEqualTo(scene.log.flushLsn());
  }

  private static List<String> shown(DecodingScene.Session session) {
    return session.decoder.view().transactions().stream()
        .map(txn -> txn.xid() + " " + txn.changes())
        .toList();
  }

  @Test
  @DisplayName("S49: 842 is sent in chunks, the first with first_segment 1, and its end")
  void chunks() {
    try (DecodingScene.Session session =
        scene.session(
            scene.slot("s", "pgoutput"),
            0,
            64 * 1024,
            "proto_version",
            "2",
            "publication_names",
            "p",
            "streaming",
            "on")) {
      List<String> expected = new ArrayList<>();
      for (int i = 1; i <= 6000; i++) {
        scene.insert(842, 842, tblA, "" + i, "Data" + i, "" + 100 * i);
        expected.add("842 I 16456 N(" + i + ",Data" + i + "," + 100 * i + ")");
      }
      List<String> open = session.read();
      assertThat(open)
          .startsWith("S 842 first", "842 R tbl_a d id* name data", expected.get(0))
          .containsOnlyOnce("S 842 first")
          .contains("S 842")
          .endsWith("E");
      assertThat(session.decoder.view().transactions().get(0).streamed()).isTrue();
      scene.commit(842);
      List<String> end = session.read();
      assertThat(end).startsWith("S 842").endsWith("E", "c 842");
      List<String> rows = new ArrayList<>(open);
      rows.addAll(end);
      rows.removeIf(line -> !line.contains(" I "));
      assertThat(rows).isEqualTo(expected);
    }
  }

  @Test
  @DisplayName("S48: the same as test_decoding text")
  void testDecoding() {
    try (DecodingScene.Session session = scene.session(scene.slot("s", "test_decoding"), 0)) {
      for (int t = 1; t <= 8; t++) {
        step(t);
      }
      assertThat(session.read())
          .containsExactly(
              "BEGIN 840",
              "table public.tbl_a: INSERT: id[integer]:2 name[text]:'Bob' data[integer]:2",
              "table public.tbl_b: INSERT: id[integer]:11 name[text]:'Luke' data[integer]:110",
              "table public.tbl_b: DELETE: id[integer]:10",
              "COMMIT 840",
              "BEGIN 841",
              "table public.tbl_a: INSERT: id[integer]:3 name[text]:'Candy' data[integer]:3",
              "table public.tbl_a: UPDATE: id[integer]:1 name[text]:'Alice' data[integer]:2",
              "table public.tbl_a: UPDATE: id[integer]:1 name[text]:'Alice' data[integer]:3",
              "COMMIT 841");
    }
  }
}
