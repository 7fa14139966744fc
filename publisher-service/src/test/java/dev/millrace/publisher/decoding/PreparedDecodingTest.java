package dev.millrace.publisher.decoding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.pgoutput.PgOutputMessage;
import dev.millrace.pgoutput.Prepare;
import dev.millrace.pgoutput.StreamPrepare;
import dev.millrace.publisher.slots.ReplicationSlot;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Decoding at PREPARE (Z1). */
class PreparedDecodingTest {

  private static final String RELATION = "R t d id* name data";

  @TempDir Path directory;

  private DecodingScene scene;
  private ReplicationSlot slot;
  private final RelationDefinition t = FakeCatalog.table(16400, 1, "t", ReplicaIdentity.DEFAULT);
  private final RelationDefinition hidden =
      FakeCatalog.table(16410, 1, "hidden", ReplicaIdentity.DEFAULT);

  @BeforeEach
  void open() {
    scene = new DecodingScene(directory);
    scene.catalog.put(1, t);
    scene.catalog.put(1, hidden);
    scene.catalog.put(1, FakeCatalog.publication(16500, "p", 16400));
    slot = scene.slot("s", "pgoutput", true);
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

  @Test
  @DisplayName(
      "S27: b, changes, P at PREPARE, later K or r alone; what was rolled back is not there")
  void prepareAndFinish() {
    try (DecodingScene.Session session = scene.pgoutput(slot, "p")) {
      insert(731, 731, 21);
      insert(732, 731, 22);
      scene.abort(732, 731);
      insert(733, 731, 23);
      scene.prepare(731, "g", 733);
      assertThat(session.read())
          .containsExactly("b 731 g", RELATION, inserted(21), inserted(23), "P 731 g");
      insert(734, 734, 1);
      scene.prepare(734, "");
      scene.finishPrepared(false, 0, 734, "");
      scene.finishPrepared(true, 0, 731, "g", 733);
      assertThat(session.read())
          .containsExactly("b 734 ", inserted(1), "P 734 ", "r 734 ", "K 731 g");
      assertThat(session.decoder.view().transactions()).isEmpty();
    }
  }

  @Test
  @DisplayName("S27: what shows nothing is still prepared, what changed nothing is not")
  void empty() {
    try (DecodingScene.Session session = scene.pgoutput(slot, "p")) {
      scene.insert(731, 731, hidden, "1", "row", null);
      scene.prepare(731, "g");
      scene.prepareFrom(DecodingScene.DATABASE, 0, 732, "locks", 0);
      assertThat(session.read()).containsExactly("b 731 g", "P 731 g");
      scene.finishPrepared(true, 0, 732, "locks");
      scene.finishPrepared(true, 0, 731, "g");
      assertThat(session.read()).containsExactly("K 731 g");
    }
  }

  @Test
  @DisplayName("without two_phase a prepared transaction comes at COMMIT PREPARED as any other")
  void plainSlot() {
    ReplicationSlot plain = scene.slot("plain", "pgoutput");
    try (DecodingScene.Session session = scene.pgoutput(plain, "p")) {
      insert(731, 731, 1);
      scene.prepare(731, "g");
      insert(732, 732, 2);
      scene.prepare(732, "h");
      insert(733, 733, 3);
      assertThat(session.read()).isEmpty();
      assertThat(session.decoder.view().transactions())
          .extracting(ReorderBufferView.TransactionView::gid)
          .containsExactly("g", "h", null);
      scene.finishPrepared(true, 0, 731, "g");
      scene.finishPrepared(false, 0, 732, "h");
      assertThat(session.read()).containsExactly("B 731", RELATION, inserted(1), "C");
    }
  }

  @Test
  @DisplayName(
      "S30: prepared before two_phase was on: whole with its K at COMMIT PREPARED, else only r")
  void preparedTooEarly() {
    ReplicationSlot plain = scene.slot("plain", "pgoutput");
    insert(731, 731, 1);
    scene.prepare(731, "g");
    insert(732, 732, 2);
    scene.prepare(732, "h");
    insert(733, 733, 3);
    long end = scene.commit(733);
    scene.log.flush(end);
    try (DecodingScene.Session session =
        scene.session(
            plain, end, "proto_version", "3", "publication_names", "p", "two_phase", "on")) {
      assertThat(plain.twoPhase()).isTrue();
      assertThat(plain.twoPhaseAt()).isEqualTo(end);
      assertThat(session.read()).isEmpty();
      scene.finishPrepared(true, 0, 731, "g");
      scene.finishPrepared(false, 0, 732, "h");
      assertThat(session.read())
          .containsExactly("b 731 g", RELATION, inserted(1), "P 731 g", "K 731 g", "r 732 h");
    }
  }

  @Test
  @DisplayName("a consumer that has the PREPARE gets its end alone after a reconnect")
  void reconnect() {
    insert(731, 731, 1);
    long prepared = scene.prepare(731, "g");
    scene.log.flush(prepared);
    slot.confirm(prepared);
    insert(732, 732, 2);
    scene.commit(732);
    scene.finishPrepared(true, 0, 731, "g");
    long end = scene.log.insertLsn();
    try (DecodingScene.Session session = scene.pgoutput(slot, "p")) {
      assertThat(session.read()).containsExactly("B 732", RELATION, inserted(2), "C", "K 731 g");
    }
    try (DecodingScene.Session session =
        scene.session(slot, end, "proto_version", "3", "publication_names", "p")) {
      assertThat(session.read()).isEmpty();
    }
  }

  @Test
  @DisplayName("restart_lsn stays before a prepared transaction until it has ended")
  void restartLsn() {
    try (DecodingScene.Session session = scene.pgoutput(slot, "p")) {
      long first = scene.insert(731, 731, t, "1", "row", null);
      scene.prepare(731, "g");
      insert(732, 732, 2);
      scene.commit(732);
      session.read();
      slot.confirm(session.decoder.processedLsn());
      assertThat(slot.restartLsn()).isLessThanOrEqualTo(first);
      scene.finishPrepared(true, 0, 731, "g");
      session.read();
      slot.confirm(session.decoder.processedLsn());
      assertThat(slot.restartLsn()).isEqualTo(session.decoder.processedLsn());
    }
  }

  @Test
  @DisplayName("N6: the origin is judged at PREPARE; the end follows that verdict")
  void origins() {
    ReplicationSlot local = scene.slot("local", "test_decoding", true);
    try (DecodingScene.Session session =
        scene.session(local, 0, "only-local", "on", "include-xids", "off")) {
      scene.insertFrom(DecodingScene.DATABASE, 5, 731, t, "1", "row", null);
      scene.prepareFrom(DecodingScene.DATABASE, 5, 731, "theirs", 1);
      insert(732, 732, 2);
      scene.prepare(732, "ours");
      assertThat(session.read()).hasSize(3).last().isEqualTo("PREPARE TRANSACTION 'ours'");
      scene.finishPrepared(true, 0, 731, "theirs");
      scene.finishPrepared(true, 5, 732, "ours");
      assertThat(session.read()).containsExactly("COMMIT PREPARED 'ours'");
    }
  }

  @Test
  @DisplayName("S53: test_decoding's lines; identifiers with _nodecode wait for COMMIT PREPARED")
  void testDecoding() {
    ReplicationSlot text = scene.slot("text", "test_decoding", true);
    try (DecodingScene.Session session = scene.session(text, 0)) {
      insert(529, 529, 3);
      scene.prepare(529, "test_prepared1");
      insert(530, 530, 4);
      scene.prepare(530, "it's_nodecode");
      assertThat(session.read())
          .containsExactly(
              "BEGIN 529",
              "table public.t: INSERT: id[integer]:3 name[text]:'row' data[integer]:null",
              "PREPARE TRANSACTION 'test_prepared1', txid 529");
      scene.finishPrepared(true, 0, 529, "test_prepared1");
      scene.finishPrepared(true, 0, 530, "it's_nodecode");
      assertThat(session.read())
          .containsExactly(
              "COMMIT PREPARED 'test_prepared1', txid 529",
              "BEGIN 530",
              "table public.t: INSERT: id[integer]:4 name[text]:'row' data[integer]:null",
              "COMMIT 530");
    }
    try (DecodingScene.Session session =
        scene.session(text, 0, "include-timestamp", "on", "skip-empty-xacts", "on")) {
      List<String> lines = session.read();
      assertThat(lines.get(2))
          .matches("PREPARE TRANSACTION 'test_prepared1', txid 529 \\(at .*\\)");
      scene.insert(531, 531, hidden, "1", "row", null);
      scene.abort(531, 531);
      scene.prepareFrom(99, 0, 532, "elsewhere", 1);
      scene.finishPrepared(false, 0, 532, "elsewhere");
      assertThat(session.read()).isEmpty();
    }
  }

  @Test
  @DisplayName("S29: a streamed transaction is prepared by p, its rest in a block before it")
  void streamed() {
    String[] options = {"proto_version", "4", "publication_names", "p", "streaming", "parallel"};
    try (DecodingScene.Session session = scene.session(slot, 0, 1, options)) {
      insert(731, 731, 1);
      insert(732, 731, 2);
      scene.abort(732, 731);
      insert(731, 731, 3);
      scene.prepare(731, "g");
      List<String> sent = session.read();
      assertThat(sent)
          .containsExactly(
              "S 731 first",
              "731 " + RELATION,
              "731 " + inserted(1),
              "E",
              "S 731",
              "732 " + inserted(2),
              "E",
              "A 731 732 at a time",
              "S 731",
              "731 " + RELATION,
              "731 " + inserted(3),
              "E",
              "p 731 g");
      scene.finishPrepared(true, 0, 731, "g");
      assertThat(session.read()).containsExactly("K 731 g");
      insert(733, 733, 4);
      scene.prepare(733, "h");
      scene.finishPrepared(false, 0, 733, "h");
      sent = session.read();
      assertThat(sent.subList(sent.size() - 2, sent.size())).containsExactly("p 733 h", "r 733 h");
    }
  }

  @Test
  @DisplayName(
      "Z1, R1: prepared or not, streamed or not, however often reconnected and whenever switched"
          + " on: what is committed in the end is the same")
  void sameAsOrdinary() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    ReplicationSlot plain = scene.slot("plain", "pgoutput");
    List<ReplicationSlot> slots = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      slots.add(scene.slot("slot" + i, "pgoutput", i % 2 == 0));
    }
    RandomTransactions.writeWithPrepares(scene, t, random, 800);
    scene.log.flush(scene.log.insertLsn());
    List<List<String>> expected;
    try (DecodingScene.Session session =
        scene.session(plain, 0, "proto_version", "1", "publication_names", "p", "messages", "on")) {
      session.read();
      expected = StreamReplay.of(session.messages, DecodingScene::showPlain);
    }
    assertThat(expected).as("seed " + seed).isNotEmpty();
    int prepares = 0;
    for (ReplicationSlot each : slots) {
      Consumer consumer = new Consumer(each, random);
      consumer.readAll();
      assertThat(consumer.replay.committed().stream().filter(lines -> !lines.isEmpty()).toList())
          .as("seed " + seed + ", " + each.name())
          .isEqualTo(expected);
      assertThat(consumer.replay.preparedGids()).as("seed " + seed).isEmpty();
      assertThat(each.twoPhase()).as("seed " + seed).isTrue();
      prepares += consumer.prepares;
    }
    assertThat(prepares).as("seed " + seed).isPositive();
  }

  /** Reads a slot in several sessions, each to a record's end, with options of its own. */
  private final class Consumer {
    private final StreamReplay replay = new StreamReplay(DecodingScene::showPlain);
    private final ReplicationSlot slot;
    private final Random random;
    private long position;
    private int prepares;

    Consumer(ReplicationSlot slot, Random random) {
      this.slot = slot;
      this.random = random;
      this.position = slot.confirmedFlushLsn();
    }

    void readAll() {
      long end = scene.log.flushLsn();
      while (position != end) {
        scene.immediately = random.nextInt(4) == 0;
        boolean last = random.nextInt(8) == 0;
        try (DecodingScene.Session session =
            scene.session(slot, position, 1 + random.nextInt(20_000), options(last))) {
          int records = last ? Integer.MAX_VALUE : random.nextInt(400);
          boolean more = true;
          while (more && records-- > 0) {
            more = session.decoder.step();
          }
          session.messages.forEach(this::take);
          position = session.decoder.processedLsn();
        }
        scene.immediately = false;
        replay.reconnected();
        if (random.nextBoolean()) {
          slot.confirm(position);
        }
      }
    }

    private void take(PgOutputMessage message) {
      prepares += message instanceof Prepare || message instanceof StreamPrepare ? 1 : 0;
      replay.add(message);
    }

    private String[] options(boolean last) {
      String streaming = List.of("off", "on", "parallel").get(random.nextInt(3));
      List<String> options = new ArrayList<>(List.of("proto_version", "4"));
      options.addAll(List.of("publication_names", "p", "messages", "on", "streaming", streaming));
      if (last || random.nextInt(3) == 0) {
        options.addAll(List.of("two_phase", "on"));
      }
      return options.toArray(String[]::new);
    }
  }
}
