package dev.millrace.publisher.decoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.Lsn;
import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.publisher.slots.ReplicationSlot;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlotChangesTest {

  @TempDir Path directory;

  private DecodingScene scene;
  private ReplicationSlot slot;
  private SlotChanges changes;
  private final List<Notice> notices = new ArrayList<>();
  private final RelationDefinition t = FakeCatalog.table(16400, 1, "t", ReplicaIdentity.DEFAULT);
  private long afterFirst;

  @BeforeEach
  void open() {
    scene = new DecodingScene(directory);
    scene.catalog.put(1, t);
    scene.catalog.put(1, FakeCatalog.publication(16500, "p", 16400));
    slot = scene.slot("s", "test_decoding");
    scene.slots.release(slot);
    changes = new SlotChanges(scene.slots, scene.decoding, scene.log);
    scene.insert(731, 731, t, "1", null, null);
    scene.insert(731, 731, t, "2", null, null);
    afterFirst = scene.commit(731);
    scene.insert(732, 732, t, "3", null, null);
    scene.commit(732);
    scene.log.flush(scene.log.insertLsn());
  }

  @AfterEach
  void close() {
    scene.close();
  }

  private List<String> read(boolean consume, long uptoLsn, int uptoChanges) {
    return changes
        .read(request("s", consume, false, uptoLsn, uptoChanges, 100, "include-xids", "1"))
        .stream()
        .map(change -> new String(change.data(), StandardCharsets.UTF_8).substring(0, 9))
        .toList();
  }

  private SlotChanges.Request request(
      String name,
      boolean consume,
      boolean binary,
      long uptoLsn,
      int uptoChanges,
      int maxRows,
      String... options) {
    return new SlotChanges.Request(
        name,
        "testdb",
        DecodingScene.PID,
        uptoLsn,
        uptoChanges,
        DecodingScene.options(options),
        consume,
        binary,
        maxRows,
        1 << 20,
        false,
        notices::add);
  }

  @Test
  @DisplayName("S16: peek gives the same twice, get consumes")
  void peekAndGet() {
    List<String> all = read(false, 0, 0);
    assertThat(all).hasSize(7);
    assertThat(read(false, 0, 0)).isEqualTo(all);
    assertThat(slot.confirmedFlushLsn()).isLessThan(afterFirst);
    assertThat(read(true, 0, 0)).isEqualTo(all);
    assertThat(read(true, 0, 0)).isEmpty();
    assertThat(slot.confirmedFlushLsn()).isEqualTo(scene.log.flushLsn());
    assertThat(slot.activePid()).isZero();
  }

  @Test
  @DisplayName("C5: upto_nchanges is looked at only at transaction ends, upto_lsn at records")
  void limits() {
    assertThat(read(false, 0, 1)).hasSize(4);
    assertThat(read(false, 0, 5)).hasSize(7);
    assertThat(read(false, afterFirst, 0)).hasSize(4);
    assertThat(read(true, 0, 1)).hasSize(4);
    assertThat(slot.confirmedFlushLsn()).isEqualTo(afterFirst);
    assertThat(read(true, 0, 1)).containsExactly("BEGIN 732", "table pub", "COMMIT 73");
  }

  @Test
  @DisplayName("C5: binary output through a text function is refused; R shows its change's LSN")
  void binary() {
    ReplicationSlot binary = scene.slot("b", "pgoutput");
    scene.slots.release(binary);
    long lsn = scene.insert(733, 733, t, "4", null, null);
    scene.commit(733);
    scene.log.flush(scene.log.insertLsn());
    assertThatThrownBy(
            () ->
                changes.read(
                    request(
                        "b",
                        false,
                        false,
                        0,
                        0,
                        100,
                        "proto_version",
                        "1",
                        "publication_names",
                        "p")))
        .hasMessage(
            "logical decoding output plugin \"pgoutput\" produces binary output, but function"
                + " \"pg_logical_slot_peek_changes(name,pg_lsn,integer,text[])\" expects textual"
                + " data")
        .extracting(e -> ((PgException) e).sqlState())
        .isEqualTo("0A000");
    List<SlotChanges.Change> read =
        changes.read(
            request("b", true, true, 0, 0, 100, "proto_version", "1", "publication_names", "p,q"));
    assertThat(read.stream().map(change -> (char) change.data()[0]))
        .containsExactly('B', 'R', 'I', 'C');
    assertThat(read.stream().map(change -> Lsn.format(change.lsn())).limit(3))
        .containsOnly(Lsn.format(lsn));
    assertThat(notices)
        .extracting(Notice::message)
        .containsExactly("skipped loading publication \"q\"");
  }

  @Test
  @DisplayName("C5: more bytes than the heap has room for are refused; nothing is consumed")
  void tooManyBytes() {
    SlotChanges small = new SlotChanges(scene.slots, scene.decoding, scene.log, 100);
    assertThatThrownBy(() -> small.read(request("s", true, false, 0, 0, 100)))
        .extracting(e -> ((PgException) e).sqlState())
        .isEqualTo("54000");
    assertThat(read(false, 0, 0)).hasSize(7);
  }

  @Test
  @DisplayName("C5: too many rows, slots of others and unknown slots are refused; the slot is free")
  void refusals() {
    assertThatThrownBy(() -> changes.read(request("s", true, false, 0, 0, 3)))
        .extracting(e -> ((PgException) e).sqlState())
        .isEqualTo("54000");
    assertThat(slot.activePid()).isZero();
    assertThat(read(false, 0, 0)).hasSize(7);
    assertThatThrownBy(() -> changes.read(request("none", true, false, 0, 0, 3)))
        .extracting(e -> ((PgException) e).sqlState())
        .isEqualTo("42704");
    scene.slots.acquire("s", 99, "testdb");
    assertThatThrownBy(() -> read(false, 0, 0))
        .extracting(e -> ((PgException) e).sqlState())
        .isEqualTo("55006");
  }
}
