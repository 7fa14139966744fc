package dev.millrace.publisher.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.model.RelationDefinition;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process is killed at every named fault point of the write path, of two-phase commit, of DDL, of
 * checkpoints and of the start itself; after each kill the database holds what the log says, row
 * for row, and what is prepared by the log is prepared.
 */
class CrashRecoveryTest {

  /**
   * A fault point with the highest hit at which the process is killed.
   *
   * @param thenStart the next one strikes during the start after it
   */
  private record Fault(String name, int maxHit, boolean thenStart) {
    Fault(String name, int maxHit) {
      this(name, maxHit, false);
    }
  }

  private static final List<Fault> FAULTS =
      List.of(
          new Fault("commit.appended", 150),
          new Fault("commit.flushed", 150, true),
          new Fault("redo.applied", 1),
          new Fault("wal.after-force", 150, true),
          new Fault("start.redone", 1),
          new Fault("ddl.done", 3, true),
          new Fault("checkpoint.synced", 1),
          new Fault("commit.done", 150),
          new Fault("prepare.appended", 40),
          new Fault("prepare.flushed", 40, true),
          new Fault("redo.prepared", 1),
          new Fault("twophase.written", 3),
          new Fault("commit-prepared.appended", 25),
          new Fault("commit-prepared.flushed", 25, true),
          new Fault("redo.applied", 1),
          new Fault("commit-prepared.done", 25),
          new Fault("rollback-prepared.appended", 12),
          new Fault("rollback-prepared.flushed", 12),
          new Fault("ddl.intent", 8),
          new Fault("ddl.statement", 6),
          new Fault("ddl.done", 6),
          new Fault("ddl.synced", 6),
          new Fault("ddl.committed", 6),
          new Fault("checkpoint.noted", 4),
          new Fault("checkpoint.synced", 4),
          new Fault("checkpoint.controlled", 4),
          new Fault("checkpoint.markers", 4),
          new Fault("wal.before-write", 150),
          new Fault("wal.before-force", 150),
          new Fault("wal.after-force", 150));

  @TempDir Path directory;
  private final Set<Integer> acknowledged = new TreeSet<>();
  private final Set<Integer> prepared = new TreeSet<>();
  private final Set<Integer> gone = new TreeSet<>();

  @Test
  @DisplayName("R1 After a kill at every fault point H2 equals a model fed by the log")
  void everyFaultPoint() throws Exception {
    long seed = System.nanoTime();
    System.out.println("crash recovery seed " + seed);
    Random random = new Random(seed);
    try (TestNode node = TestNode.open(directory)) {
      CrashWorkload.createTables(node);
    }
    int round = 0;
    int passes = Math.max(1, Integer.getInteger("millrace.test.kill-rounds", 4) / 4);
    List<Fault> faults = Stream.generate(() -> FAULTS).limit(passes).flatMap(List::stream).toList();
    for (Fault fault : faults) {
      String spec = fault.name + ":kill:" + (1 + random.nextInt(fault.maxHit));
      runWorkload(spec, random.nextLong(), ++round * 1000);
      if (fault.thenStart) {
        continue;
      }
      verify("seed " + seed + ", round " + round + ", " + spec);
    }
  }

  private void runWorkload(String fault, long seed, int firstAck)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xmx256m", "-Dmillrace.fault=" + fault));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(CrashWorkload.class.getName(), directory.toString()));
    command.addAll(List.of(Long.toString(seed), Integer.toString(firstAck)));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    StringBuilder output = new StringBuilder();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] words = line.split(" ");
        switch (words[0]) {
          case "ack" -> acknowledged.add(Integer.parseInt(words[1]));
          case "prepared" -> prepared.add(Integer.parseInt(words[1]));
          case "gone" -> gone.add(Integer.parseInt(words[1]));
          default -> output.append(line).append('\n');
        }
      }
    }
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(fault + "\n" + output).isIn(0, 137);
    System.out.println(fault + " ended with " + process.exitValue());
  }

  private void verify(String when) {
    try (TestNode node = TestNode.open(directory)) {
      LogModel model = LogModel.of(node.log(), node.catalog());
      for (RelationDefinition relation : node.catalog().current().relationsByName()) {
        List<String> rows = new ArrayList<>(node.rows("SELECT * FROM " + relation.name().quoted()));
        rows.sort(null);
        assertThat(rows).as(when + ", " + relation.name()).isEqualTo(model.rows(relation));
      }
      List<Integer> acks = node.rows("SELECT id FROM acks").stream().map(Integer::valueOf).toList();
      assertThat(acks).as(when + ", acknowledged commits").containsAll(acknowledged);
      assertThat(acks).as(when + ", acknowledged rollbacks").noneMatch(gone::contains);
      verifyPrepared(when, node, model);
      if (model.prepared().isEmpty()) { // Else the table may be locked.
        node.run("INSERT INTO counted (a) VALUES ('after')");
      }
    }
  }

  private void verifyPrepared(String when, TestNode node, LogModel model) {
    Set<String> open = new TreeSet<>();
    node.node().preparedTransactions().forEach(each -> open.add(each.gid()));
    assertThat(open).as(when + ", prepared transactions").isEqualTo(model.prepared());
    Set<Integer> unended = new TreeSet<>(prepared);
    unended.removeAll(acknowledged);
    unended.removeAll(gone);
    model.ended().forEach(gid -> unended.remove(Integer.valueOf(gid)));
    assertThat(open.stream().map(Integer::valueOf).toList())
        .as(when + ", acknowledged PREPAREs without an end")
        .containsAll(unended);
  }
}
