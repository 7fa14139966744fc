package dev.millrace.heap;

import java.io.IOException;
import java.nio.channels.FileChannel;
import org.h2.engine.Constants;
import org.h2.store.fs.FilePath;
import org.h2.store.fs.FilePathWrapper;

/**
 * A file system for H2, {@code jdbc:h2:patient:/path/name}, under which a database outlives a full
 * disk: what cannot be written to its file waits until there is room.
 *
 * <p>H2 gives a store up when one write to it fails; only opening it again helps, and what was not
 * stored yet is gone. But a full disk passes. So the writer waits in the write, with what it writes
 * in memory, and {@link DiskSpace} tells those who would add to it, that they may refuse. H2's own
 * limit on unsaved memory stops the others.
 *
 * <p>Only for the database's file: H2 can do without its temporary ones.
 */
public final class PatientFilePath extends FilePathWrapper {

  private static final String SCHEME = "patient";

  /** H2 makes instances of its own; use {@link #register}. */
  public PatientFilePath() {}

  /** Makes the scheme known to H2, in this JVM. */
  public static void register() {
    FilePath.register(new PatientFilePath());
  }

  /** The same database under this scheme, if it is an ordinary file. */
  public static String patient(String jdbcUrl) {
    String file = "jdbc:h2:file:";
    return jdbcUrl.startsWith(file)
        ? "jdbc:h2:" + SCHEME + ':' + jdbcUrl.substring(file.length())
        : jdbcUrl;
  }

  @Override
  public String getScheme() {
    return SCHEME;
  }

  @Override
  public FileChannel open(String mode) throws IOException {
    FileChannel file = getBase().open(mode);
    if (mode.equals("r") || !name.endsWith(Constants.SUFFIX_MV_FILE)) {
      return file;
    }
    DiskSpace space = DiskSpace.ofFile(name);
    space.opened();
    return new PatientChannel(file, space);
  }
}
