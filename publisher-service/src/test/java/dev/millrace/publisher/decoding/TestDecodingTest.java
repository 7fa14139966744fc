package dev.millrace.publisher.decoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.PgException;
import dev.millrace.model.PgType;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.publisher.slots.ReplicationSlot;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestDecodingTest {

  @TempDir Path directory;

  private DecodingScene scene;
  private ReplicationSlot slot;
  private final RelationDefinition t = FakeCatalog.table(16400, 1, "t", ReplicaIdentity.DEFAULT);

  @BeforeEach
  void open() {
    scene = new DecodingScene(directory);
    scene.catalog.put(1, t);
    slot = scene.slot("s", "test_decoding");
  }

  @AfterEach
  void close() {
    scene.close();
  }

  private List<String> read(String... options) {
    try (DecodingScene.Session session = scene.session(slot, 0, options)) {
      return session.read();
    }
  }

  @Test
  @DisplayName("O4: quoting of names and values as test_decoding's")
  void quoting() {
    RelationDefinition odd =
        new RelationDefinition(
            16410,
            1,
            new QualifiedName("My Schema", "tab'le"),
            List.of(
                new ColumnDefinition(1, "select", PgType.BOOL, -1, false, (char) 0, (char) 0),
                new ColumnDefinition(2, "Mixed", PgType.BPCHAR, 8, false, (char) 0, (char) 0),
                new ColumnDefinition(3, "ts", PgType.TIMESTAMPTZ, -1, false, (char) 0, (char) 0),
                new ColumnDefinition(4, "n", PgType.NUMERIC, 655366, false, (char) 0, (char) 0)),
            List.of(),
            ReplicaIdentity.FULL,
            0);
    scene.catalog.put(2, odd);
    scene.insert(731, 731, odd, "t", "it's \\ é", "2024-01-01 00:00:00+00", "NaN");
    scene.update(731, 731, odd, 'O', new String[] {"f", null, null, null}, "f", null, null, "1.50");
    scene.delete(731, 731, odd, (char) 0);
    scene.commit(731);
    assertThat(read("include-xids", "0"))
        .containsExactly(
            "BEGIN",
            "table \"My Schema\".\"tab'le\": INSERT: \"select\"[boolean]:true"
                + " \"Mixed\"[character]:'it''s \\ é'"
                + " ts[timestamp with time zone]:'2024-01-01 00:00:00+00' n[numeric]:NaN",
            "table \"My Schema\".\"tab'le\": UPDATE: old-key: \"select\"[boolean]:false new-tuple:"
                + " \"select\"[boolean]:false \"Mixed\"[character]:null"
                + " ts[timestamp with time zone]:null n[numeric]:1.50",
            "table \"My Schema\".\"tab'le\": DELETE: (no-tuple-data)",
            "COMMIT");
  }

  @Test
  @DisplayName("O4: truncate, messages, unchanged values, times")
  void otherLines() {
    scene.update(731, 731, t, "1", DecodingScene.UNCHANGED, null);
    scene.truncate(731, 731, 0, t);
    scene.truncate(731, 731, 3, t, t);
    scene.message(731, true, "pre", "content");
    scene.commit(731);
    assertThat(read("include-timestamp", "on"))
        .containsExactly(
            "BEGIN 731",
            "table public.t: UPDATE: id[integer]:1 name[text]:unchanged-toast-datum"
                + " data[integer]:null",
            "table public.t: TRUNCATE: (no-flags)",
            "table public.t, public.t: TRUNCATE: restart_seqs cascade",
            "message: transactional: 1 prefix: pre, sz: 7 content:content",
            "COMMIT 731 (at 2026-03-28 16:35:00+00)");
  }

  @Test
  @DisplayName("O4: a catalogue change shows an empty transaction unless skip-empty-xacts")
  void emptyTransactions() {
    scene.catalog.put(1, FakeCatalog.publication(16500, "p"));
    scene.catalogChange(731, 731, "p:16400");
    scene.commit(731);
    assertThat(read()).containsExactly("BEGIN 731", "COMMIT 731");
    assertThat(read("skip-empty-xacts", "1")).isEmpty();
    scene.insert(732, 732, t, "1", null, null);
    scene.commit(732);
    assertThat(read("skip-empty-xacts", "t").get(0)).isEqualTo("BEGIN 732");
  }

  @Test
  @DisplayName("O4: only-local leaves out what came from another origin")
  void onlyLocal() {
    scene.insertFrom(DecodingScene.DATABASE, 3, 731, t, "1", "far", null);
    scene.commitFrom(DecodingScene.DATABASE, 3, 731);
    assertThat(read("only-local", "1")).isEmpty();
    assertThat(read("only-local", "0")).hasSize(3);
  }

  @Test
  @DisplayName(
      "O4: with stream-changes blocks say that there are changes; without, whole transactions")
  void streamChanges() {
    scene.immediately = true;
    scene.insert(731, 731, t, "1", null, null);
    scene.insert(732, 731, t, "2", null, null);
    scene.message(731, true, "pre", "content");
    scene.abort(732, 731);
    scene.truncate(731, 731, 0, t);
    scene.commit(731);
    scene.insert(733, 733, t, "3", null, null);
    scene.abort(733, 733);
    assertThat(read("stream-changes", "1", "include-timestamp", "1"))
        .containsExactly(
            "opening a streamed block for transaction TXN 731",
            "streaming change for TXN 731",
            "closing a streamed block for transaction TXN 731",
            "opening a streamed block for transaction TXN 731",
            "streaming change for TXN 731",
            "closing a streamed block for transaction TXN 731",
            "opening a streamed block for transaction TXN 731",
            "streaming message: transactional: 1 prefix: pre, sz: 7",
            "closing a streamed block for transaction TXN 731",
            "aborting streamed (sub)transaction TXN 732",
            "opening a streamed block for transaction TXN 731",
            "streaming truncate for TXN 731",
            "closing a streamed block for transaction TXN 731",
            "committing streamed transaction TXN 731 (at 2026-03-28 16:35:00+00)",
            "opening a streamed block for transaction TXN 733",
            "streaming change for TXN 733",
            "closing a streamed block for transaction TXN 733",
            "aborting streamed (sub)transaction TXN 733");
    assertThat(read("stream-changes", "1", "include-xids", "0", "skip-empty-xacts", "1"))
        .startsWith(
            "opening a streamed block for transaction",
            "streaming change for transaction",
            "closing a streamed block for transaction")
        .endsWith("aborting streamed (sub)transaction");
    assertThat(read()).hasSize(5).last().isEqualTo("COMMIT 731");
  }

  @Test
  @DisplayName("O4: wrong options are refused in test_decoding's words")
  void wrongOptions() {
    assertRefused(
        "22023",
        "could not parse value \"maybe\" for parameter \"include-xids\"",
        "include-xids",
        "maybe");
    assertRefused("22023", "option \"no-such\" = \"1\" is unknown", "no-such", "1");
    assertRefused(
        "22023", "could not parse value \"o\" for parameter \"only-local\"", "only-local", "o");
    assertThat(read("include-rewrites", "yes", "skip-empty-xacts", "n")).isEmpty();
  }

  private void assertRefused(String sqlState, String message, String... options) {
    assertThatThrownBy(() -> read(options))
        .hasMessage(message)
        .extracting(e -> ((PgException) e).sqlState())
        .isEqualTo(sqlState);
  }
}
