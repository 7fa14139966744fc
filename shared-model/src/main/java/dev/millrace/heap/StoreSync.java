package dev.millrace.heap;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import org.h2.engine.Database;
import org.h2.mvstore.MVStoreException;

/**
 * Forces to disk what a database has committed. As CHECKPOINT SYNC, but without H2's lock on the
 * whole database, for which new sessions would wait as long as the disk takes.
 */
public final class StoreSync {

  private StoreSync() {}

  /**
   * Returns when everything committed before the call is on disk. Any thread.
   *
   * @throws PgException 58030 when the disk refuses or the database is closed
   */
  public static void sync(Database database) {
    try {
      database.getStore().sync();
    } catch (MVStoreException e) {
      throw new PgException(
          SqlState.IO_ERROR, "could not sync the target database: " + e.getMessage(), e);
    }
  }
}
