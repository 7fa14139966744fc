package dev.millrace.publisher.source;

import static org.awaitility.Awaitility.await;

import dev.millrace.model.Lsn;
import dev.millrace.publisher.PublisherUnderTest;
import dev.millrace.publisher.database.ForeignTransactions;
import dev.millrace.publisher.wal.WriteAheadLog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A publisher that reads from a database of a real PostgreSQL server. */
public final class SourceUnderTest {

  private SourceUnderTest() {}

  /** Starts it and waits until it reads; the slot has the database's name, the publication src. */
  public static PublisherUnderTest start(
      Path directory, SourcePostgres source, String... arguments) {
    PublisherUnderTest publisher = startAnyhow(directory, source, arguments);
    awaitState(publisher, SourceState.STREAMING);
    return publisher;
  }

  /** Starts it whether or not the source can be read. */
  public static PublisherUnderTest startAnyhow(
      Path directory, SourcePostgres source, String... arguments) {
    List<String> all = new ArrayList<>();
    all.add("--millrace.source.url=" + source.url());
    all.add("--millrace.source.slot-name=" + source.database());
    all.add("--millrace.source.publication=src");
    all.add("--millrace.source.retry-interval=200ms");
    all.addAll(List.of(arguments));
    return PublisherUnderTest.startWith(directory, all.toArray(String[]::new));
  }

  static void awaitState(PublisherUnderTest publisher, SourceState state) {
    SourceStatus status = publisher.bean(SourceStatus.class);
    await()
        .atMost(Duration.ofSeconds(30))
        .alias("source is " + state)
        .until(() -> status.current().state() == state);
  }

  /** Waits until all that is committed on the source now is on the publisher's disk. */
  public static void awaitCaughtUp(PublisherUnderTest publisher, SourcePostgres source) {
    long lsn = Lsn.parse(source.value("SELECT pg_current_wal_insert_lsn()")).value();
    source.run("SELECT pg_logical_emit_message(true, 'caught up', '')");
    ForeignTransactions taken = publisher.bean(ForeignTransactions.class);
    WriteAheadLog log = publisher.bean(WriteAheadLog.class);
    await()
        .atMost(Duration.ofSeconds(30))
        .alias("the source's " + Lsn.format(lsn) + " is taken over")
        .until(() -> !Lsn.isBefore(taken.sourceLsn(), lsn));
    log.flush(log.insertLsn());
  }
}
