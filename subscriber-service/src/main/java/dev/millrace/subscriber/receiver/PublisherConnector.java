package dev.millrace.subscriber.receiver;

/** Opens replication connections by a subscription's connection string. */
public interface PublisherConnector {

  /**
   * Connects and logs in.
   *
   * @param connection {@code ws://..}, {@code wss://..} or keyword/value, see api.md
   * @param applicationName shown in pg_stat_replication unless the connection string names one
   * @throws dev.millrace.model.PgException 08006 could not connect, 22023 / 42601 malformed
   *     connection string, 0A000 for postgresql://
   */
  PublisherConnection connect(String connection, String applicationName);

  /** Checks the form only. */
  void check(String connection);
}
