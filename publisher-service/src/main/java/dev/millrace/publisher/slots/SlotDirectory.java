package dev.millrace.publisher.slots;

import dev.millrace.model.DurableFiles;
import dev.millrace.model.FaultPoint;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.stream.Stream;

/**
 * The directory {@code pg_replslot/<slot>} with its {@code state} file and spill files.
 *
 * <p>Each step leaves something a start can tell apart:
 *
 * <pre>
 *   &lt;slot&gt;.tmp              being made, not yet under its name                       goes
 *   &lt;slot&gt; with unfinished  a slot that was never finished, or a temporary one        goes
 *   &lt;slot&gt; with state       the slot; a file unfinished beside it says nothing more   stays
 *   state.tmp               a save that did not reach its rename, the one before counts  goes
 *   &lt;slot&gt;.dropped          a drop that did not reach its end                        goes
 *   &lt;slot&gt; with neither     a slot whose state was lost: the start is refused
 * </pre>
 *
 * A slot that was lost must not go silently: the log its consumer still needs would go with it.
 */
final class SlotDirectory {

  static final String STATE = "state";
  static final String DROPPED = ".dropped";
  static final String MAKING = ".tmp";
  private static final String UNFINISHED = "unfinished";

  private final Path path;
  private boolean unfinished;

  SlotDirectory(Path path) {
    this.path = path;
  }

  Path path() {
    return path;
  }

  void create() {
    Path making = path.resolveSibling(path.getFileName() + MAKING);
    try {
      remove();
      deleteTree(making);
      DurableFiles.createDirectories(making);
      Files.createFile(making.resolve(UNFINISHED));
      DurableFiles.forceDirectory(making);
      Files.move(making, path, StandardCopyOption.ATOMIC_MOVE);
      DurableFiles.forceDirectory(path.getParent());
      unfinished = true;
    } catch (IOException e) {
      throw failed("create directory", path, e);
    }
  }

  /** Write aside, force, rename, force the directory: afterwards the state is on disk. */
  void write(SlotState state) {
    try {
      DurableFiles.replace(path.resolve(STATE), state.encode());
      if (unfinished) {
        Files.deleteIfExists(path.resolve(UNFINISHED));
        unfinished = false;
      }
    } catch (IOException e) {
      throw failed("write state of replication slot in", path, e);
    }
  }

  /**
   * The state on disk, or null when the slot was never finished.
   *
   * @throws PgException 58P01 when a finished slot's state is missing, XX001 when it is damaged
   */
  SlotState read() {
    Path file = path.resolve(STATE);
    try {
      return SlotState.decode(Files.readAllBytes(file), file.toString());
    } catch (NoSuchFileException e) {
      if (Files.exists(path.resolve(UNFINISHED))) {
        return null;
      }
      throw new PgException(
              SqlState.UNDEFINED_FILE,
              "could not open file \"" + file + "\": No such file or directory",
              e)
          .withDetail(
              "Replication slot \"" + path.getFileName() + "\" has lost where its consumer stands.")
          .withHint("Restore the file, or remove the slot's directory to give the slot up.");
    } catch (IOException e) {
      throw failed("read", file, e);
    }
  }

  /** Removes everything but the state: spill files of a decoding that was interrupted. */
  void removeLeftovers() {
    try (Stream<Path> files = Files.list(path)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (!file.getFileName().toString().equals(STATE)) {
          deleteTree(file);
        }
      }
    } catch (IOException e) {
      throw failed("clean directory", path, e);
    }
  }

  /** Renames the directory away first, so that a crash halfway never leaves half a slot. */
  void remove() {
    Path doomed = path.resolveSibling(path.getFileName() + DROPPED);
    try {
      deleteTree(doomed);
      Files.move(path, doomed, StandardCopyOption.ATOMIC_MOVE);
      DurableFiles.forceDirectory(path.getParent());
      FaultPoint.hit("slot.half-dropped");
      deleteTree(doomed);
    } catch (NoSuchFileException e) {
      // Somebody removed it by hand: what was asked for is done.
      return;
    } catch (IOException e) {
      throw failed("remove directory", path, e);
    }
  }

  static void deleteTree(Path root) throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, IOException error)
              throws IOException {
            if (error != null) {
              throw error;
            }
            Files.delete(directory);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  static PgException failed(String action, Path path, IOException error) {
    boolean full = String.valueOf(error.getMessage()).contains("No space left");
    return new PgException(
        full ? SqlState.DISK_FULL : SqlState.IO_ERROR,
        "could not " + action + " \"" + path + "\": " + error.getMessage(),
        error);
  }
}
