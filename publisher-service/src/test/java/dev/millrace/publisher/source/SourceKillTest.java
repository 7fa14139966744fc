package dev.millrace.publisher.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.pgoutput.PgOutputMessage;
import dev.millrace.pgoutput.PgOutputReader;
import dev.millrace.pgoutput.RowChange;
import dev.millrace.pgoutput.StreamAbort;
import dev.millrace.pgoutput.StreamCommit;
import dev.millrace.pgoutput.StreamStart;
import dev.millrace.pgoutput.StreamStop;
import dev.millrace.publisher.PublisherApplication;
import dev.millrace.publisher.PublisherUnderTest;
import dev.millrace.publisher.decoding.vectors.ExactStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The publisher is killed again and again while it takes over a busy source. Its slot must show
 * what a slot on the source itself shows: the same transactions, once each, in the same order.
 */
@DisplayName("kill -9 of the publisher while it takes over a busy PostgreSQL server")
class SourceKillTest {

  private static final String OPTIONS =
      "'proto_version', '1', 'publication_names', 'src', 'messages', 'true'";

  private static final List<String> FAULTS =
      List.of(
          "source.before-commit:kill:",
          "source.after-commit:kill:",
          "source.after-prepare:kill:",
          "source.after-finish:kill:");

  private final int rounds = Integer.getInteger("millrace.test.kill-rounds", 4);
  private final long seed = Long.getLong("millrace.test.seed", System.nanoTime());

  @TempDir Path directory;
  private SourcePostgres source;
  private PublisherUnderTest publisher;

  @BeforeEach
  void start() {
    System.out.println("source kill test seed: -Dmillrace.test.seed=" + seed);
    source = SourcePostgres.create();
    source.run("CREATE TABLE t (id int PRIMARY KEY, v text)", "CREATE PUBLICATION src FOR TABLE t");
    publisher = SourceUnderTest.start(directory, source);
    publisher.sql("create publication src for table t");
    publisher.sql("select pg_create_logical_replication_slot('s', 'pgoutput')");
    source.rows("SELECT pg_create_logical_replication_slot('" + truth() + "', 'pgoutput')");
    publisher.close();
  }

  @AfterEach
  void stop() {
    publisher.close();
    source.close();
  }

  private String truth() {
    return source.database() + "_truth";
  }

  @Test
  @DisplayName("R1, I1: each committed transaction is in the log once, in commit order")
  void exactlyOnce() throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    try (SourceLoad load = new SourceLoad(source, seed)) {
      for (int round = 0; round < rounds; round++) {
        runUntilKilled(FAULTS.get(round % FAULTS.size()) + (1 + random.nextInt(10)));
      }
    }
    publisher = SourceUnderTest.start(directory, source);
    SourceUnderTest.awaitCaughtUp(publisher, source);
    List<String> taken = ExactStream.of(taken(), false);
    List<String> sent = ExactStream.of(sent(), false);
    assertThat(taken).as("seed %d", seed).hasSizeGreaterThan(100);
    assertSame(taken, sent);
  }

  /** Fails with the first messages that differ: the lists are long. */
  private void assertSame(List<String> taken, List<String> sent) {
    int same = 0;
    while (same < Math.min(taken.size(), sent.size()) && taken.get(same).equals(sent.get(same))) {
      same++;
    }
    int from = Math.max(0, same - 5);
    assertThat(taken.subList(from, Math.min(taken.size(), same + 5)))
        .as("%d taken, %d sent, the same up to %d, seed %d", taken.size(), sent.size(), same, seed)
        .isEqualTo(sent.subList(from, Math.min(sent.size(), same + 5)));
  }

  private List<byte[]> taken() {
    List<byte[]> messages = new ArrayList<>();
    int before = -1;
    while (messages.size() > before) {
      before = messages.size();
      publisher
          .sql(
              "select data from pg_logical_slot_get_binary_changes('s', null, 20000, "
                  + OPTIONS
                  + ")")
          .forEach(row -> messages.add(bytes(row.get(0).toString())));
    }
    return withoutEmptyBlocks(withoutMarks(messages));
  }

  private List<byte[]> sent() {
    List<byte[]> messages = new ArrayList<>();
    source
        .rows(
            "SELECT data FROM pg_logical_slot_peek_binary_changes('%s', NULL, NULL, %s)"
                .formatted(truth(), OPTIONS))
        .forEach(data -> messages.add(bytes(data)));
    return withoutEmptyBlocks(withoutMarks(messages));
  }

  private static byte[] bytes(String hexadecimal) {
    return HexFormat.of().parseHex(hexadecimal.substring(2));
  }

  /** The publisher's own marks stand in transactions of their own. */
  private static List<byte[]> withoutMarks(List<byte[]> messages) {
    List<byte[]> kept = new ArrayList<>();
    for (int i = 0; i < messages.size(); i++) {
      boolean mark =
          messages.get(i)[0] == 'B'
              && new String(messages.get(i + 1), StandardCharsets.ISO_8859_1)
                  .contains(SourceTables.MARK + "\0");
      if (mark) {
        i += 2; // The message and the commit.
      } else {
        kept.add(messages.get(i));
      }
    }
    return kept;
  }

  /**
   * Whether a block without a change is sent, and then the end of it, is free: it depends on what
   * the sender knew of an abort when it read the changes.
   */
  private static List<byte[]> withoutEmptyBlocks(List<byte[]> messages) {
    PgOutputReader reader = new PgOutputReader(false);
    Set<Integer> withChanges = new HashSet<>();
    List<byte[]> kept = new ArrayList<>();
    int top = 0;
    for (byte[] message : messages) {
      PgOutputMessage read = reader.read(message, 0, message.length);
      if (read instanceof StreamStart start) {
        top = start.xid();
        continue; // Where blocks begin and end is free, too, and each change names its xid.
      }
      if (read instanceof StreamStop) {
        top = 0;
        continue;
      }
      if (top != 0 && read instanceof RowChange change) {
        withChanges.add(top);
        withChanges.add(change.streamXid());
      }
      boolean ofNothing =
          read instanceof StreamAbort abort && !withChanges.contains(abort.subxid())
              || read instanceof StreamCommit commit && !withChanges.contains(commit.xid());
      if (!ofNothing) {
        kept.add(message);
      }
    }
    return kept;
  }

  private void runUntilKilled(String fault) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xmx256m", "-Dmillrace.fault=" + fault));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(PublisherApplication.class.getName());
    command.addAll(
        List.of(
            "--server.port=0",
            "--millrace.data-dir=" + directory,
            "--millrace.source.url=" + source.url(),
            "--millrace.source.slot-name=" + source.database(),
            "--millrace.source.publication=src",
            "--millrace.source.retry-interval=200ms"));
    File output = directory.resolveSibling(directory.getFileName() + ".log").toFile();
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output).start();
    try {
      assertThat(process.waitFor(120, TimeUnit.SECONDS)).as(fault).isTrue();
      assertThat(process.exitValue()).as("%s, see %s", fault, output).isEqualTo(137);
    } finally {
      process.destroyForcibly().waitFor();
    }
    source.awaitInactive(source.database());
    output.delete();
  }
}
