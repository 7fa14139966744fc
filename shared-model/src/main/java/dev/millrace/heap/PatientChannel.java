package dev.millrace.heap;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import org.h2.store.fs.FileBase;

/** A file whose writes wait for room; see {@link PatientFilePath}. */
final class PatientChannel extends FileBase {

  private final FileChannel file;
  private final DiskSpace space;

  PatientChannel(FileChannel file, DiskSpace space) {
    this.file = file;
    this.space = space;
  }

  @Override
  public int write(ByteBuffer source, long position) throws IOException {
    while (true) {
      try {
        int written = file.write(source, position);
        space.written();
        return written;
      } catch (IOException e) {
        space.awaitRoom(e);
      }
    }
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    while (true) {
      try {
        int written = file.write(source);
        space.written();
        return written;
      } catch (IOException e) {
        space.awaitRoom(e);
      }
    }
  }

  /** A failed force is final: nobody knows what of it is on disk. */
  @Override
  public void force(boolean metaData) throws IOException {
    file.force(metaData);
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
