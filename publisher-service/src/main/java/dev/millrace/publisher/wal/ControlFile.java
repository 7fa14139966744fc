package dev.millrace.publisher.wal;

import dev.millrace.model.DurableFiles;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.function.UnaryOperator;

/**
 * The file {@code <data-dir>/global/pg_control}: where replay begins, who this node is, and which
 * OIDs and pids were given out. Every change is on disk when the call returns. Safe for any thread.
 *
 * <p>OIDs and pids are reserved in blocks: a kill loses the rest of a block and never gives a
 * number twice; a clean stop loses none.
 */
public final class ControlFile {

  static final int FIRST_OID = 16384;
  static final int FIRST_XID = 731;
  private static final int FIRST_PID = 1001;
  private static final int BLOCK = 1000;

  private final Path file;
  private final boolean created;
  private ControlState state;
  private int nextOid;
  private long nextPid;

  private ControlFile(Path file, ControlState state, boolean created) {
    this.file = file;
    this.created = created;
    this.state = state;
    this.nextOid = state.oidBound();
    this.nextPid = state.pidBound();
  }

  /**
   * Reads the control file, or makes that of a new node.
   *
   * @param databaseName the name a new node's database gets
   * @param options gives a new node its segment size and timeline
   * @throws PgException XX001 when the file is damaged, 58030 when it cannot be read or written
   */
  public static ControlFile open(Path dataDirectory, String databaseName, WalOptions options) {
    Path file = dataDirectory.resolve("global").resolve("pg_control");
    try {
      if (Files.exists(file)) {
        return new ControlFile(file, ControlState.decode(Files.readAllBytes(file)), false);
      }
      if (Files.exists(dataDirectory.resolve("pg_wal"))) {
        throw new PgException(
            SqlState.DATA_CORRUPTED, "control file \"" + file + "\" is missing beside a log");
      }
      DurableFiles.createDirectories(file.getParent());
    } catch (IOException e) {
      throw failed(file, e);
    }
    ControlFile control = new ControlFile(file, firstState(databaseName, options), true);
    control.write(control.state);
    return control;
  }

  private static ControlState firstState(String databaseName, WalOptions options) {
    long systemIdentifier = new SecureRandom().nextLong() & Long.MAX_VALUE;
    return new ControlState(
        systemIdentifier,
        options.timeline(),
        options.segmentSize(),
        WalFormat.FIRST_LSN,
        WalFormat.FIRST_LSN,
        FIRST_XID,
        FIRST_OID + 1,
        FIRST_PID,
        0,
        FIRST_OID,
        databaseName);
  }

  /** Whether this start made the node. */
  public boolean created() {
    return created;
  }

  public synchronized ControlState state() {
    return state;
  }

  /** Replaces the state. */
  public synchronized void update(UnaryOperator<ControlState> change) {
    write(change.apply(state));
  }

  /** An OID never given out before. */
  public synchronized int nextOid() {
    if (nextOid == state.oidBound()) {
      write(state.withBounds(nextOid + BLOCK, state.pidBound()));
    }
    return nextOid++;
  }

  /** A number for pid columns, never given out before. */
  public synchronized long nextPid() {
    if (nextPid == state.pidBound()) {
      write(state.withBounds(state.oidBound(), nextPid + BLOCK));
    }
    return nextPid++;
  }

  /** The last write of a clean stop: gives back what is left of the reserved blocks. */
  public synchronized void releaseBlocks() {
    write(state.withBounds(nextOid, nextPid));
  }

  private void write(ControlState next) {
    try {
      DurableFiles.replace(file, next.encode());
      state = next;
    } catch (IOException e) {
      throw failed(file, e);
    }
  }

  private static PgException failed(Path file, IOException e) {
    return new PgException(
        SqlState.IO_ERROR, "could not access file \"" + file + "\": " + e.getMessage(), e);
  }
}
