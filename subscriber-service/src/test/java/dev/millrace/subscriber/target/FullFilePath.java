package dev.millrace.subscriber.target;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import org.h2.store.fs.FileBase;
import org.h2.store.fs.FilePath;
import org.h2.store.fs.FilePathWrapper;

/** A file system for H2, {@code full:/path}, whose disk is full when a test says so. */
public final class FullFilePath extends FilePathWrapper {

  private static volatile boolean full;

  /** H2 makes instances of its own. */
  public FullFilePath() {}

  static void register() {
    FilePath.register(new FullFilePath());
  }

  static void full(boolean now) {
    full = now;
  }

  @Override
  public String getScheme() {
    return "full";
  }

  @Override
  public FileChannel open(String mode) throws IOException {
    return new Channel(getBase().open(mode));
  }

  private static final class Channel extends FileBase {
    private final FileChannel file;

    Channel(FileChannel file) {
      this.file = file;
    }

    private static void requireRoom() throws IOException {
      if (full) {
        throw new IOException("No space left on device");
      }
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
      requireRoom();
      return file.write(source);
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
      requireRoom();
      return file.write(source, position);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
      return file.read(target);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      return file.read(target, position);
    }

    @Override
    public long position() throws IOException {
      return file.position();
    }

    @Override
    public FileChannel position(long newPosition) throws IOException {
      file.position(newPosition);
      return this;
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
      file.truncate(size);
      return this;
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) throws IOException {
      return file.tryLock(position, size, shared);
    }

    @Override
    protected void implCloseChannel() throws IOException {
      file.close();
    }
  }
}
