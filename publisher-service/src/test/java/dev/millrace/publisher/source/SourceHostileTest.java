package dev.millrace.publisher.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.publisher.PublisherUnderTest;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * I1: a source that falls silent or talks nonsense. Each time the publisher says so in bounded time
 * and tries again, and what was committed meanwhile arrives once.
 */
@DisplayName("A source that does not behave")
class SourceHostileTest {

  /** Behind the type and the length of a message of the server. */
  private static final int CONTENT = 5;

  /** Of CopyData with XLogData: where the message of the plugin begins. */
  private static final int PLUGIN = CONTENT + 25;

  @TempDir static Path directory;
  private static SourcePostgres source;
  private static SourceProxy proxy;
  private static PublisherUnderTest publisher;
  private static int rows;

  @BeforeAll
  static void start() {
    source = SourcePostgres.create();
    source.run("CREATE TABLE t (id int PRIMARY KEY, v text)", "CREATE PUBLICATION src FOR TABLE t");
    proxy = new SourceProxy(source.port());
    publisher = SourceUnderTest.startVia(proxy, directory, source);
    publisher.sql("select pg_create_logical_replication_slot('s', 'test_decoding')");
  }

  @AfterAll
  static void stop() {
    publisher.close();
    proxy.close();
    source.close();
  }

  private static void insert() {
    source.run("INSERT INTO t VALUES (" + ++rows + ", 'a value of some length')");
  }

  @AfterEach
  void everythingArrivesOnce() {
    proxy.leadTo(source.port());
    insert();
    SourceUnderTest.awaitCaughtUp(publisher, source);
    List<String> inserted =
        publisher.sql("select data from pg_logical_slot_peek_changes('s', null, null)").stream()
            .map(row -> row.get(0).toString())
            .filter(line -> line.startsWith("table"))
            .map(line -> line.replaceAll(".*id\\[integer\\]:(\\d+).*", "$1"))
            .toList();
    assertThat(inserted)
        .isEqualTo(IntStream.rangeClosed(1, rows).mapToObj(String::valueOf).toList());
    assertThat(publisher.bean(SourceStatus.class).current().state())
        .isEqualTo(SourceState.STREAMING);
  }

  private static void awaitReported(String reason) {
    SourceStatus status = publisher.bean(SourceStatus.class);
    await()
        .atMost(Duration.ofSeconds(10))
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> {
              SourceStatus.State state = status.current();
              return state.state() == SourceState.AWAY && state.reason().contains(reason);
            });
  }

  private static void awaitRetries() {
    int before = proxy.connections();
    await().atMost(Duration.ofSeconds(10)).until(() -> proxy.connections() >= before + 2);
  }

  /** Whether the message is CopyData of that kind: 'w' or 'k'. */
  private static boolean isStream(byte[] message, char kind) {
    return message[0] == 'd' && message[CONTENT] == kind;
  }

  /** Changes one byte of each XLogData, and of nothing else. */
  private static SourceProxy.Fate changing(int offset, char value) {
    return message -> {
      if (isStream(message, 'w')) {
        message[offset] = (byte) value;
      }
      return message;
    };
  }

  @Test
  @DisplayName("stops sending within the stream")
  void silent() {
    proxy.treat(message -> null);
    insert();
    awaitReported("has sent nothing for");
    awaitRetries();
  }

  @Test
  @DisplayName("takes the connection and never answers")
  void neverAnswers() {
    proxy.treat(message -> null);
    proxy.cut();
    awaitReported("onnection attempt");
    awaitRetries();
  }

  @Test
  @DisplayName("sends half a message and no more")
  void half() {
    AtomicBoolean broken = new AtomicBoolean();
    proxy.treat(
        message -> {
          if (broken.get()) {
            return null;
          }
          boolean now = isStream(message, 'w') && broken.compareAndSet(false, true);
          return now ? Arrays.copyOf(message, message.length / 2) : message;
        });
    insert();
    awaitReported("reading from copy");
  }

  @Test
  @DisplayName("asks for replies without end")
  void asksForReplies() {
    long before = proxy.bytesFromClients();
    proxy.treat(
        message -> {
          if (!isStream(message, 'k')) {
            return message;
          }
          message[message.length - 1] = 1;
          ByteArrayOutputStream many = new ByteArrayOutputStream();
          for (int i = 0; i < 20_000; i++) {
            many.writeBytes(message);
          }
          return many.toByteArray();
        });
    for (int i = 0; i < 5; i++) {
      insert();
      source.awaitConfirmed();
    }
    assertThat(proxy.bytesFromClients() - before).isLessThan(20_000);
  }

  @Test
  @DisplayName("sends something that is neither data nor a keepalive")
  void unknownFrame() {
    proxy.treat(changing(CONTENT, 'x'));
    insert();
    awaitReported("unexpected replication message type");
    awaitRetries();
  }

  @Test
  @DisplayName("sends a message of a type that pgoutput does not have")
  void unknownMessage() {
    proxy.treat(changing(PLUGIN, 'Z'));
    insert();
    awaitReported("invalid logical replication message type");
    awaitRetries();
  }

  @Test
  @DisplayName("sends rows that do not fit the table they are of")
  void rowsThatDoNotFit() {
    proxy.treat(
        message -> {
          if (isStream(message, 'w') && message[PLUGIN] == 'I') {
            message[PLUGIN + 4] ^= 1; // Another relation, which nobody has told of.
          }
          return message;
        });
    insert();
    awaitReported("no Relation message has told of relation");
    proxy.treat(
        message -> {
          if (isStream(message, 'w') && message[PLUGIN] == 'I') {
            message[PLUGIN + 7] = 1; // One column instead of two.
          }
          return message;
        });
    awaitReported("invalid Insert message");
  }
}
