package dev.millrace.publisher.decoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.publisher.slots.ReplicationSlot;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plugins that are found on the class path (O1). */
class ThirdPartyPluginTest {

  @TempDir Path directory;
  private DecodingScene scene;
  private final RelationDefinition t = FakeCatalog.table(16400, 1, "t", ReplicaIdentity.DEFAULT);

  @BeforeEach
  void open() {
    scene = new DecodingScene(directory);
    scene.catalog.put(1, t);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  private void workload() {
    scene.insert(731, 731, t, "1", "row", null);
    scene.prepare(731, "now");
    scene.insert(732, 732, t, "2", "row", null);
    scene.prepare(732, "later");
    scene.insert(733, 733, t, "3", "row", null);
    scene.prepare(733, "never");
    scene.finishPrepared(true, 0, 732, "later");
    scene.finishPrepared(true, 0, 731, "now");
    scene.finishPrepared(false, 0, 733, "never");
  }

  @Test
  @DisplayName("with the two-phase callbacks it may hold transactions back by their identifier")
  void filterPrepare() {
    ReplicationSlot slot = scene.slot("s", "printing_two_phase", true);
    workload();
    try (DecodingScene.Session session = scene.session(slot, 0)) {
      assertThat(session.read())
          .containsExactly(
              "begin_prepare now",
              "change",
              "prepare now",
              "begin_prepare never",
              "change",
              "prepare never",
              "begin",
              "change",
              "commit",
              "commit_prepared now",
              "rollback_prepared never");
    }
  }

  @Test
  @DisplayName(
      "without them, and without stream callbacks, it gets whole transactions at their end")
  void withoutCallbacks() {
    ReplicationSlot slot = scene.slot("s", "printing", true);
    scene.immediately = true;
    workload();
    try (DecodingScene.Session session = scene.session(slot, 0)) {
      assertThat(session.read())
          .containsExactly("begin", "change", "commit", "begin", "change", "commit");
    }
  }

  @Test
  @DisplayName("streaming at prepare time needs stream_prepare; the error names the callback")
  void streamPrepareMissing() {
    ReplicationSlot slot = scene.slot("s", "printing_two_phase", true);
    scene.immediately = true;
    workload();
    try (DecodingScene.Session session = scene.session(slot, 0, "stream", "on")) {
      assertThatThrownBy(session::read)
          .hasMessage("logical streaming at prepare time requires a stream_prepare_cb callback")
          .isInstanceOfSatisfying(
              PgException.class,
              e ->
                  assertThat(e.context())
                      .startsWith(
                          "slot \"s\", output plugin \"printing_two_phase\", in the stream_prepare"
                              + " callback, associated LSN "));
    }
  }
}
