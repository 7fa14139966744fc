package dev.millrace.subscriber.launcher;

import java.util.List;

/** Starts, restarts and stops the workers of the enabled subscriptions. Safe for any thread. */
public interface Launcher {

  /** Looks at the catalogue soon (a subscription was made, enabled, changed or refreshed). */
  void wake();

  /** Stops all workers of the subscription and returns when they and their connections are gone. */
  void stopWorkers(int subscriptionOid);

  /** Stops the sync worker of one table and returns when it is gone. */
  void stopSyncWorker(int subscriptionOid, int relationOid);

  /** Keeps the launcher from starting workers of this subscription until the handle is closed. */
  Suspension suspend(int subscriptionOid);

  /** See {@link #suspend}. */
  interface Suspension extends AutoCloseable {
    @Override
    void close();
  }

  /** pg_stat_subscription. */
  List<WorkerView> workers();

  /**
   * The message of the last error of a table's synchronization, or of the apply worker (relation
   * OID 0); null when its last run went well.
   */
  String lastError(int subscriptionOid, int relationOid);

  /** Copy progress of a table that is being synchronized, or null. */
  CopyProgress copyProgress(int subscriptionOid, int relationOid);

  /** Rows and bytes copied; {@code rowsTotal} -1 while unknown. */
  record CopyProgress(long rowsCopied, long bytesCopied, long rowsTotal) {}
}
