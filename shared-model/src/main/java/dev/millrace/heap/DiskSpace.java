package dev.millrace.heap;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.h2.engine.Constants;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the disk under one database ({@link PatientFilePath}) is full. It is from the first write
 * that found no room until a write has succeeded. Safe for any thread.
 */
public final class DiskSpace {

  private static final Logger log = LoggerFactory.getLogger(DiskSpace.class);
  private static final long RETRY_MS = 100;
  private static final Map<String, DiskSpace> BY_FILE = new ConcurrentHashMap<>();

  private final String file;
  private volatile String reason;
  private boolean givenUp;

  private DiskSpace(String file) {
    this.file = file;
  }

  /** Of the database with that name, in H2's form; never full for another scheme. */
  public static DiskSpace ofDatabase(String name) {
    return ofFile(name + Constants.SUFFIX_MV_FILE);
  }

  static DiskSpace ofFile(String path) {
    return BY_FILE.computeIfAbsent(path, DiskSpace::new);
  }

  synchronized void opened() {
    givenUp = false;
    reason = null;
  }

  /** Why nothing can be written now; null when there is room. Cheap. */
  public PgException refusal() {
    String why = reason;
    return why == null
        ? null
        : new PgException(
                SqlState.DISK_FULL,
                "could not write to file \"" + Path.of(file).getFileName() + "\": " + why)
            .withHint("Check free disk space.");
  }

  /**
   * For those who are about to write.
   *
   * @throws PgException 53100 while the disk is full
   */
  public void require() {
    if (reason != null) {
      PgException refusal = refusal();
      if (refusal != null) {
        throw refusal;
      }
    }
  }

  /** Lets writes that wait for room fail, and with them the database; for a shutdown. */
  public synchronized void giveUp() {
    givenUp = true;
    notifyAll();
  }

  /** A write has found its room. */
  void written() {
    if (reason != null) {
      synchronized (this) {
        if (reason != null) {
          reason = null;
          log.info("there is room again for file \"{}\"", file);
        }
      }
    }
  }

  /**
   * Returns when a write that failed is worth another try.
   *
   * @throws IOException the same, if it is not for want of room or room is waited for no longer
   */
  synchronized void awaitRoom(IOException failure) throws IOException {
    String why = wantOfRoom(failure);
    if (why == null || givenUp) {
      throw failure;
    }
    if (reason == null) {
      reason = why;
      log.error("could not write to file \"{}\": {}; writing waits until there is room", file, why);
    }
    try {
      wait(RETRY_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure;
    }
    if (givenUp) {
      throw failure;
    }
  }

  /** What the system says when room is what lacks, else null. */
  private static String wantOfRoom(IOException failure) {
    String message = String.valueOf(failure.getMessage());
    for (String phrase : new String[] {"No space left on device", "Disk quota exceeded"}) {
      if (message.contains(phrase)) {
        return phrase;
      }
    }
    return null;
  }
}
