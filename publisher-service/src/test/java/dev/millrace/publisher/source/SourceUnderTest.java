package dev.millrace.publisher.source;

import static org.awaitility.Awaitility.await;

import dev.millrace.model.Lsn;
import dev.millrace.publisher.PublisherUnderTest;
import dev.millrace.publisher.database.ForeignTransactions;
import dev.millrace.publisher.wal.WriteAheadLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A publisher that reads from a database of a real PostgreSQL server. */
public final class SourceUnderTest {

  private static final String URL = "--millrace.source.url=";

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
    if (Stream.of(arguments).noneMatch(argument -> argument.startsWith(URL))) {
      all.add(URL + source.url());
    }
    all.add("--millrace.source.slot-name=" + source.database());
    all.add("--millrace.source.publication=src");
    all.add("--millrace.source.retry-interval=200ms");
    all.addAll(List.of(arguments));
    return PublisherUnderTest.startWith(directory, all.toArray(String[]::new));
  }

  /** Starts it behind a proxy and waits until it reads. */
  static PublisherUnderTest startVia(SourceProxy proxy, Path directory, SourcePostgres source) {
    PublisherUnderTest publisher =
        startAnyhow(
            directory,
            source,
            "--millrace.source.url=" + proxy.url(source.database()),
            "--millrace.source.receive-timeout=2s");
    awaitState(publisher, SourceState.STREAMING);
    return publisher;
  }

  /** The body of what the publisher answers, whatever its status. */
  static String get(PublisherUnderTest publisher, String path) {
    URI uri = URI.create("http://127.0.0.1:" + publisher.port() + path);
    try {
      return HttpClient.newHttpClient()
          .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
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
