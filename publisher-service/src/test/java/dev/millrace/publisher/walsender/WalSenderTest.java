package dev.millrace.publisher.walsender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.millrace.model.PgException;
import dev.millrace.publisher.slots.ReplicationSlot;
import dev.millrace.publisher.slots.ReplicationSlots.SlotRequest;
import dev.millrace.publisher.slots.SlotStore;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.replication.StandbyStatusUpdate;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The conversation of a stream, without threads or sockets (T1, T2, T3). */
class WalSenderTest {

  @TempDir Path root;
  private final RecordingClient client = new RecordingClient();
  private ReplicationSlot slot;
  private WriteAheadLog log;
  private WalSender sender;
  private ScriptedDecoding decoding;

  @BeforeEach
  void begin() throws InterruptedException {
    slot =
        SlotStore.open(root, () -> 10, Clock.systemUTC())
            .create(new SlotRequest("s", true, "pgoutput", "testdb", false, false, false), 7);
    slot.makeReady(0x100, 0x100, 731);
    log = mock(WriteAheadLog.class);
    when(log.awaitFlushBeyond(anyLong(), anyLong())).thenReturn(0L);
    start(0, 60_000);
  }

  private void start(long startLsn, long timeoutMs) {
    sender = new WalSender(client, slot, log, Clock.systemUTC(), startLsn, timeoutMs);
    decoding = new ScriptedDecoding(sender, 0x100);
    sender.begin(decoding);
  }

  private static StandbyStatusUpdate status(long write, long flush, boolean replyRequested) {
    return new StandbyStatusUpdate(write, flush, flush, 0, replyRequested);
  }

  private void work(int rounds) throws InterruptedException {
    for (int i = 0; i < rounds; i++) {
      assertThat(sender.doWork()).isTrue();
    }
  }

  @Test
  @DisplayName("a transaction's messages leave in one frame once the stream has caught up")
  void oneFrame() throws InterruptedException {
    decoding.commit(0x200, 0x110, "B", 0, "R", 0x110, "I", 0x200, "C");
    assertThat(sender.state()).isEqualTo(WalSenderState.CATCHUP);
    work(1);
    assertThat(client.heard).isEmpty();
    work(1);
    assertThat(client.heard)
        .containsExactly("data 0/110 B", "data 0/0 R", "data 0/110 I", "data 0/200 C");
    assertThat(client.frameSizes).hasSize(1);
    assertThat(sender.state()).isEqualTo(WalSenderState.STREAMING);
    assertThat(sender.progress().sentLsn()).isEqualTo(0x200);
  }

  @Test
  @DisplayName("a large transaction leaves in frames of 32 to 64 kB while it is decoded")
  void batching() throws InterruptedException {
    String row = "x".repeat(1000);
    decoding.commit(
        0x9000,
        () -> {
          for (int i = 0; i < 1000; i++) {
            decoding.message(0x200 + i, row);
          }
          decoding.message(0x9000, "C");
        });
    work(2);
    assertThat(client.heard).hasSize(1001);
    assertThat(client.frameSizes.subList(0, client.frameSizes.size() - 1))
        .allMatch(size -> size >= 32 * 1024 && size <= 64 * 1024);
  }

  @Test
  @DisplayName("T3: a filtered-out transaction is answered for by a keepalive with its end")
  void idleKeepalive() throws InterruptedException {
    decoding.record(0x180).commit(0x200);
    work(3);
    assertThat(client.heard).containsExactly("keepalive 0/200");
    work(5);
    assertThat(client.heard).hasSize(1);
    sender.reported(status(0x200, 0x200, false));
    assertThat(slot.confirmedFlushLsn()).isEqualTo(0x200);
  }

  @Test
  @DisplayName("T3: no idle keepalive when the peer already knows the position")
  void noIdleKeepalive() throws InterruptedException {
    decoding.commit(0x200, 0x110, "B", 0x200, "C");
    work(5);
    assertThat(client.heard).containsExactly("data 0/110 B", "data 0/200 C");
  }

  @Test
  @DisplayName("T3: a keepalive never covers a transaction that is still being sent")
  void keepaliveInsideTransaction() throws InterruptedException {
    decoding.commit(0x180, 0x180, "C");
    decoding.commit(
        0x300,
        () -> {
          decoding.message(0x200, "I");
          sender.reported(status(0, 0, true));
          sender.progress(0x250);
          decoding.message(0x300, "C");
        });
    work(3);
    assertThat(client.heard)
        .containsExactly("data 0/180 C", "data 0/200 I", "keepalive 0/180", "data 0/300 C");
  }

  @Test
  @DisplayName("T3: behind a block of an open transaction a keepalive tells the position")
  void keepaliveBehindBlock() throws InterruptedException {
    decoding.commit(0x300, 0x200, "S", 0x200, "I", 0x200, "E");
    work(2);
    assertThat(client.heard)
        .containsExactly("data 0/200 S", "data 0/200 I", "data 0/200 E", "keepalive 0/300");
  }

  @Test
  @DisplayName(
      "a reply is sent when the peer asks for one, also inside of long work every 100 messages")
  void replyRequested() throws InterruptedException {
    sender.reported(status(0, 0, true));
    work(1);
    assertThat(client.heard).containsExactly("keepalive 0/100");
    decoding.commit(
        0x9000,
        () -> {
          sender.reported(status(0, 0, true));
          for (int i = 1; i <= 150; i++) {
            decoding.message(0x200 + i, "I");
          }
        });
    work(2);
    assertThat(client.heard.indexOf("keepalive 0/100")).isZero();
    assertThat(client.heard.lastIndexOf("keepalive 0/100")).isEqualTo(101);
  }

  @Test
  @DisplayName("T1: a confirmation of more than was sent is a protocol error and not stored")
  void confirmsTooMuch() throws InterruptedException {
    decoding.commit(0x200, 0x110, "B", 0x200, "C");
    work(2);
    sender.reported(status(0x201, 0x201, false));
    assertThat(slot.confirmedFlushLsn()).isEqualTo(0x100);
    assertThatThrownBy(() -> sender.doWork())
        .isInstanceOfSatisfying(
            PgException.class,
            e -> {
              assertThat(e.sqlState()).isEqualTo("08P01");
              assertThat(e.detail()).contains("write position 0/201").contains("0/200");
            });
  }

  @Test
  @DisplayName("T1: an older confirmation does not move the slot back")
  void confirmsLess() throws InterruptedException {
    decoding.commit(0x200, 0x110, "B", 0x200, "C");
    work(2);
    sender.reported(status(0x200, 0x200, false));
    sender.reported(status(0x150, 0x150, false));
    assertThat(slot.confirmedFlushLsn()).isEqualTo(0x200);
    assertThat(sender.progress().flushLsn()).isEqualTo(0x150);
  }

  @Test
  @DisplayName("a start position above confirmed_flush_lsn may be reported back at once")
  void startPositionCounts() {
    start(0x180, 60_000);
    sender.reported(status(0x180, 0x180, false));
    assertThat(slot.confirmedFlushLsn()).isEqualTo(0x180);
  }

  @Test
  @DisplayName("CopyDone of the peer ends the stream in the middle of a transaction")
  void finishInsideTransaction() throws InterruptedException {
    decoding.commit(
        0x9000,
        () -> {
          for (int i = 1; i <= 1000; i++) {
            decoding.message(0x200 + i, "I");
            if (i == 150) {
              sender.finish();
            }
          }
        });
    assertThat(sender.doWork()).isFalse();
    sender.sendCopyDone();
    assertThat(client.heard).hasSizeLessThan(210).endsWith("done");
  }

  @Test
  @DisplayName("T2: a stop sends everything, asks for a reply and ends once all is confirmed")
  void stop() throws InterruptedException {
    decoding.commit(0x200, 0x110, "B", 0x200, "C");
    sender.stop();
    work(3);
    assertThat(sender.state()).isEqualTo(WalSenderState.STOPPING);
    assertThat(client.heard).contains("data 0/200 C", "keepalive 0/100 reply");
    sender.reported(status(0x200, 0x200, false));
    assertThat(sender.doWork()).isFalse();
  }

  @Test
  @DisplayName("T2: a reply is asked for after half of wal_sender_timeout, all of it is the end")
  void timeout() throws InterruptedException {
    start(0, 300);
    work(1);
    assertThat(client.heard).isEmpty();
    Awaitility.await()
        .pollInterval(Duration.ofMillis(10))
        .until(
            () -> {
              sender.doWork();
              return client.heard.contains("keepalive 0/100 reply");
            });
    assertThat(sender.checkTimeout()).isFalse();
    sender.reported(status(0, 0, false));
    Awaitility.await().pollInterval(Duration.ofMillis(10)).until(() -> sender.checkTimeout());
    assertThatThrownBy(() -> sender.doWork())
        .hasMessage("terminating walsender process due to replication timeout");
  }

  @Test
  @DisplayName("T2: wal_sender_timeout 0 waits for ever")
  void noTimeout() throws InterruptedException {
    start(0, 0);
    work(1);
    assertThat(sender.checkTimeout()).isFalse();
    assertThat(client.heard).isEmpty();
  }
}
