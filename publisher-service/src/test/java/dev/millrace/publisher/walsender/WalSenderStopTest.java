package dev.millrace.publisher.walsender;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A clean stop, seen by the peers of its walsenders (T2, S44). */
class WalSenderStopTest {

  @TempDir Path slotDirectory;
  private WebSocketFixture fixture;

  @BeforeEach
  void start() {
    fixture = new WebSocketFixture(slotDirectory);
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  @Test
  @DisplayName("a stop closes an idle session with 1001")
  void stopOfIdleSession() throws Exception {
    try (ReplicationPeer peer = ReplicationPeer.connect(fixture.port(), "dbname=testdb")) {
      peer.run("IDENTIFY_SYSTEM");
      fixture.walSenders().stop();
      assertThat(peer.closeCode()).isEqualTo(1001);
    }
  }

  @Test
  @DisplayName("T2: a clean stop waits until a stream's peer has confirmed everything, then 1001")
  void stopOfStream() throws Exception {
    fixture.decodes(it -> it.commit(0x400, 0x310, "B", 0x400, "C"));
    try (ReplicationPeer peer = fixture.streaming("dbname=testdb")) {
      Thread stopping = new Thread(() -> fixture.walSenders().stop());
      peer.nextData();
      peer.nextData();
      stopping.start();
      ReplicationPeer.Copied next = peer.nextCopied();
      assertThat(next.isKeepalive()).isTrue();
      assertThat(fixture.slots.find("s").activePid()).isNotZero();
      peer.report(0x400, 0x400, false);
      while (!next.done()) {
        next = peer.nextCopied();
      }
      assertThat(peer.answer().get("command").asString()).isEqualTo("START_REPLICATION");
      assertThat(peer.closeCode()).isEqualTo(1001);
      stopping.join();
    }
  }

  @Test
  @DisplayName(
      "S44: a peer that never confirms delays a stop by wal_sender_shutdown_timeout at most")
  void stopWithoutConfirmation() throws Exception {
    fixture.decodes(it -> it.commit(0x400, 0x310, "B", 0x400, "C"));
    fixture.settings().set("wal_sender_shutdown_timeout", "500ms");
    try (ReplicationPeer peer = fixture.streaming("dbname=testdb")) {
      peer.nextData();
      peer.nextData();
      fixture.walSenders().stop();
      assertThat(peer.closeCode()).isEqualTo(1001);
      assertThat(fixture.walSenders().views()).isEmpty();
      assertThat(fixture.slots.find("s").confirmedFlushLsn()).isEqualTo(0x300);
      fixture.slotIsFree();
    }
  }

  @Test
  @DisplayName("S44: nor does a peer with a full receive buffer")
  void stopWithoutReading() throws Exception {
    String row = "x".repeat(8000);
    fixture.decodes(
        it ->
            it.commit(
                0x900000,
                () -> {
                  for (int i = 0; i < 200_000; i++) {
                    it.message(0x310 + i, row);
                  }
                }));
    fixture.settings().set("wal_sender_shutdown_timeout", "500ms");
    try (ReplicationPeer peer =
        ReplicationPeer.connectWithoutReading(fixture.port(), "dbname=testdb")) {
      peer.sendText("CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'nothing')");
      peer.sendText("START_REPLICATION SLOT s LOGICAL 0/0");
      Awaitility.await()
          .until(() -> fixture.slots.find("s") != null && fixture.slots.find("s").activePid() != 0);
      fixture.walSenders().stop();
      assertThat(fixture.walSenders().views()).isEmpty();
      fixture.slotIsFree();
    }
  }
}
