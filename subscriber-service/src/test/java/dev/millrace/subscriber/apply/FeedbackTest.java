package dev.millrace.subscriber.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.TypeDefinition;
import dev.millrace.subscriber.receiver.PublisherConnection;
import dev.millrace.subscriber.target.DefinitionLocks;
import dev.millrace.subscriber.target.TargetDatabase;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Feedback to the publisher")
class FeedbackTest {

  /** write, flush, apply, reply requested. */
  private final List<long[]> sent = new CopyOnWriteArrayList<>();

  private final AtomicInteger syncs = new AtomicInteger();
  private final Semaphore disk = new Semaphore(1_000_000);
  private final StreamPositions positions = new StreamPositions(100);
  private volatile long intervalMs = 60_000;
  private volatile PgException diskError;
  private Runnable replyRequested;

  private final Feedback feedback =
      new Feedback(
          "test",
          new SentStatus(),
          new SlowDisk(),
          positions,
          () -> {},
          () -> intervalMs,
          Clock.systemUTC());

  @AfterEach
  void close() {
    disk.release(1_000_000);
    feedback.close();
  }

  private long[] last() {
    return sent.get(sent.size() - 1);
  }

  @Test
  @DisplayName("flush is reported only when a sync that began after the commit is over")
  void flushWaitsForTheDisk() {
    disk.drainPermits();
    feedback.start();
    feedback.settled(200, true);
    feedback.requestReply();
    await().until(() -> syncs.get() == 1);
    feedback.settled(300, true);
    assertThat(sent).isEmpty();
    disk.release();
    await().until(() -> !sent.isEmpty() && last()[1] == 200);
    assertThat(last()[2]).isEqualTo(300);
    disk.release();
    await().until(() -> last()[1] == 300);
    assertThat(syncs.get()).isEqualTo(2);
  }

  @Test
  @DisplayName("what needed nothing here is flushed without a sync, but not while commits wait")
  void quietPositions() {
    feedback.start();
    feedback.requestReply();
    await().until(() -> !sent.isEmpty() && last()[1] == 100);
    int before = syncs.get();
    feedback.settled(500, false);
    feedback.requestReply();
    await().until(() -> last()[1] == 500);
    assertThat(syncs.get()).isEqualTo(before);
    disk.drainPermits();
    feedback.settled(600, true);
    feedback.settled(700, false);
    await().until(() -> syncs.get() == before + 1);
    assertThat(sent).allSatisfy(status -> assertThat(status[1]).isLessThanOrEqualTo(500));
    disk.release();
    feedback.inputConsumed();
    await().until(() -> last()[1] == 700);
  }

  @Test
  @DisplayName(
      "a moved position goes out once all input is consumed, unless only asked-for ones may")
  void unasked() {
    feedback.start();
    await().until(() -> !sent.isEmpty());
    positions.received(900);
    feedback.inputConsumed();
    await().until(() -> last()[0] == 900);
    intervalMs = 0;
    int before = sent.size();
    positions.received(950);
    feedback.inputConsumed();
    feedback.settled(950, true);
    await().during(Duration.ofMillis(400)).until(() -> sent.size() <= before + 1);
    feedback.requestReply();
    await().until(() -> last()[1] == 950);
  }

  @Test
  @DisplayName("an idle stream is reported at the interval")
  void interval() {
    intervalMs = 50;
    feedback.start();
    await().until(() -> sent.size() >= 5);
  }

  @Test
  @DisplayName("a ping asks the publisher for a reply")
  void ping() {
    feedback.start();
    feedback.ping();
    await().until(() -> sent.stream().anyMatch(status -> status[3] == 1));
  }

  @Test
  @DisplayName("the socket's thread can ask for a reply")
  void socketAsks() {
    intervalMs = 0;
    feedback.start();
    replyRequested.run();
    await().until(() -> !sent.isEmpty());
  }

  @Test
  @DisplayName("a disk that refuses ends the worker")
  void diskFails() {
    diskError = new PgException("58030", "disk full");
    feedback.start();
    feedback.settled(200, true);
    feedback.requestReply();
    await().untilAsserted(() -> assertThatThrownBy(feedback::check).hasMessage("disk full"));
    assertThat(positions.flushedLsn()).isZero();
  }

  @Test
  @DisplayName("at the end everything applied is made durable and reported")
  void finish() {
    feedback.start();
    feedback.settled(800, true);
    feedback.finish();
    assertThat(last()[1]).isEqualTo(800);
  }

  private final class SentStatus implements PublisherConnection {
    @Override
    public void send(byte[] payload) {
      ByteBuffer status = ByteBuffer.wrap(payload);
      assertThat(status.get()).isEqualTo((byte) 'r');
      sent.add(
          new long[] {
            status.getLong(), status.getLong(), status.getLong(), payload[payload.length - 1]
          });
    }

    @Override
    public void onReplyRequested(Runnable action) {
      replyRequested = action;
    }

    @Override
    public QueryResult execute(String command) {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<Notice> takeNotices() {
      return List.of();
    }

    @Override
    public void startCopy(String command) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Frame receive(long timeoutMs) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void endCopy() {}

    @Override
    public long silentMs() {
      return 0;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void abort() {}

    @Override
    public void close() {}
  }

  private final class SlowDisk implements TargetDatabase {
    @Override
    public void makeDurable() {
      syncs.incrementAndGet();
      disk.acquireUninterruptibly();
      if (diskError != null) {
        throw diskError;
      }
    }

    @Override
    public Connection openConnection() {
      throw new UnsupportedOperationException();
    }

    @Override
    public RelationDefinition relation(QualifiedName table) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Map<QualifiedName, TypeDefinition> types() {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<QualifiedName> referencingTables(QualifiedName table) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long schemaVersion() {
      return 0;
    }

    @Override
    public boolean hasClosedItself() {
      return false;
    }

    @Override
    public PgException refusal() {
      return null;
    }

    @Override
    public void giveUpWaiting() {}

    @Override
    public DefinitionLocks definitionLocks() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void definitionChanged() {}

    @Override
    public void skipForeignKeyChecks(QualifiedName table) {}

    @Override
    public void checkForeignKeysExcept(Set<QualifiedName> subscribed) {}
  }
}
