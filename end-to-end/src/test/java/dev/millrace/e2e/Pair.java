package dev.millrace.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.tools.MillraceApi;
import dev.millrace.tools.Replication;
import java.nio.file.Path;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * Both real applications in one JVM, talking over the real WebSocket, with the waits a scenario
 * needs.
 */
final class Pair implements AutoCloseable {

  static final long WAIT_MS = 60_000;

  final Node publisherNode;
  final Node subscriberNode;

  Pair(Path directory, String... publisherOptions) {
    publisherNode = Node.publisher(directory.resolve("publisher"), publisherOptions);
    subscriberNode =
        Node.subscriber(
            directory.resolve("subscriber"),
            "--millrace.settings.wal_retrieve_retry_interval=200ms",
            "--millrace.settings.wal_receiver_status_interval=1s",
            "--millrace.settings.max_logical_replication_workers=60");
  }

  MillraceApi publisher() {
    return publisherNode.api();
  }

  MillraceApi subscriber() {
    return subscriberNode.api();
  }

  String connection() {
    return "host=127.0.0.1 port=" + publisherNode.port() + " dbname=testdb";
  }

  /** The same statements on both sides. */
  void both(String sql) {
    publisher().sql(sql);
    subscriber().sql(sql);
  }

  /** CREATE SUBSCRIPTION to this publisher; {@code with} is what stands in WITH (..), or null. */
  JsonNode subscribe(String name, String publications, String with) {
    return subscriber()
        .post(
            "/api/v1/sql",
            java.util.Map.of(
                "sql",
                "CREATE SUBSCRIPTION "
                    + name
                    + " CONNECTION '"
                    + connection()
                    + "' PUBLICATION "
                    + publications
                    + (with == null ? "" : " WITH (" + with + ")")));
  }

  void awaitSynced(String subscription) {
    Replication.awaitSynced(subscriber(), subscription, WAIT_MS);
    awaitCaughtUp(subscription);
  }

  void awaitCaughtUp(String subscription) {
    Replication.awaitCaughtUp(publisher(), subscription, WAIT_MS);
  }

  /** The row of pg_stat_subscription_stats. */
  JsonNode stats(String subscription) {
    return subscriber().get("/api/v1/subscriptions/" + subscription + "/stats");
  }

  void dropSubscription(String name) {
    subscriber().sql("DROP SUBSCRIPTION " + name);
  }

  /** Rows of both sides are the same for this query, and are these. */
  void assertBoth(String query, List<List<String>> expected) {
    assertThat(publisher().rows(query)).as("publisher: %s", query).isEqualTo(expected);
    assertThat(subscriber().rows(query)).as("subscriber: %s", query).isEqualTo(expected);
  }

  /** Both sides answer this query alike. */
  void assertEqual(String query) {
    assertThat(subscriber().rows(query)).as(query).isEqualTo(publisher().rows(query));
  }

  @Override
  public void close() {
    subscriberNode.close();
    publisherNode.close();
  }
}
