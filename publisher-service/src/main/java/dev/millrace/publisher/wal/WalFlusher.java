package dev.millrace.publisher.wal;

import dev.millrace.model.FaultPoint;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Writes the ring to the segments and forces them, one thread at a time.
 *
 * <p>Who waits for a flush does it itself when nobody else is at it: handing the work to another
 * thread and back costs more than a force. While it forces, further waiters gather; one of them
 * makes the next force, which serves all (group commit). A thread of its own writes when a quarter
 * of the ring is full, and wal_writer_delay after something was appended, so that readers can
 * follow a transaction before its commit. The lock guards waiting only and is never held over a
 * write or force.
 *
 * <p>An interrupt closes the file under a session that is at it. That harms nothing: no force has
 * failed, and the writer's own thread, which nobody interrupts, opens the file and forces it anew.
 */
final class WalFlusher {

  private static final int WRITE_CHUNK = 1 << 20;

  private final WalSegments segments;
  private final WalRing ring;
  private final Consumer<Throwable> onFailure;
  private final Thread thread;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition workRequested = lock.newCondition();
  private final Condition roomMade = lock.newCondition();
  private final Condition flushed = lock.newCondition();
  private boolean working;
  private boolean waitingForTurn;
  private volatile boolean leftToThread;
  private volatile boolean closing;

  private volatile long delayNanos;
  private volatile boolean idle;
  private volatile boolean writeRequested;
  private volatile long copiedLsn;
  private volatile long completeLsn;
  private volatile long writeLsn;
  private volatile long forcedLsn;
  private volatile long flushLsn;
  private volatile long forces;
  private volatile Throwable failure;

  private FileChannel file;
  private long fileNumber = -1;

  WalFlusher(
      WalSegments segments,
      WalRing ring,
      long startLsn,
      long delayMs,
      Consumer<Throwable> onFailure) {
    this.segments = segments;
    this.ring = ring;
    this.delayNanos = TimeUnit.MILLISECONDS.toNanos(delayMs);
    this.onFailure = onFailure;
    copiedLsn = startLsn;
    completeLsn = startLsn;
    forcedLsn = startLsn;
    writeLsn = startLsn;
    flushLsn = startLsn;
    thread = new Thread(this::run, "walwriter");
    thread.setDaemon(true);
    thread.start();
  }

  void delayMs(long delayMs) {
    delayNanos = TimeUnit.MILLISECONDS.toNanos(delayMs);
  }

  long writeLsn() {
    return writeLsn;
  }

  long flushLsn() {
    return flushLsn;
  }

  /** How many times the log was forced since it was opened. */
  long forces() {
    return forces;
  }

  Throwable failure() {
    return failure;
  }

  /** Refuses an append to a log that has failed or is closed. */
  void checkRunning() {
    checkFailure();
    if (closing) {
      throw new PgException(SqlState.ADMIN_SHUTDOWN, "the write-ahead log is closed");
    }
  }

  private void checkFailure() {
    Throwable reason = failure;
    if (reason != null) {
      throw new PgException(
          SqlState.IO_ERROR, "the write-ahead log has stopped: " + reason.getMessage(), reason);
    }
  }

  /**
   * Puts bytes after those copied before, waiting for room; {@link #complete} follows at the end of
   * an append. Called by one thread at a time.
   */
  void copy(byte[] source, int length) {
    int done = 0;
    long copied = copiedLsn;
    while (done < length) {
      int room = ring.capacity() - (int) (copied - writeLsn);
      if (room == 0) {
        awaitRoom(copied);
        continue;
      }
      int count = Math.min(room, length - done);
      ring.put(copied, source, done, count);
      copied += count;
      done += count;
      copiedLsn = copied;
    }
  }

  /** All records copied so far are whole. */
  void complete() {
    long copied = copiedLsn;
    completeLsn = copied;
    boolean filling = copied - writeLsn >= ring.capacity() / 4;
    if (idle || filling && !writeRequested) {
      wake(filling);
    }
  }

  private void awaitRoom(long copied) {
    lock.lock();
    try {
      writeRequested = true;
      workRequested.signal();
      while (copied - writeLsn == ring.capacity()) {
        checkFailure();
        roomMade.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private void wake(boolean writeNow) {
    lock.lock();
    try {
      writeRequested |= writeNow;
      workRequested.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Returns when everything before {@code lsn}, which must have been copied, is on disk. */
  void flush(long lsn) {
    if (!Lsn.isBefore(flushLsn, lsn)) {
      return;
    }
    lock.lock();
    try {
      while (Lsn.isBefore(flushLsn, lsn)) {
        checkFailure();
        if (working || leftToThread || !isPending()) {
          flushed.awaitUninterruptibly();
        } else {
          work();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Writes and forces; called with the lock held and nobody at work, it lets the lock go meanwhile.
   */
  private void work() {
    working = true;
    lock.unlock();
    try {
      // In this order: what is complete has been copied. Flushed is said of whole appends only, so
      // that a flush mark never points into a record that may yet be torn.
      long wholeLsn = completeLsn;
      long targetLsn = copiedLsn;
      if (leftToThread) {
        forceAgain();
      }
      writeAndForce(targetLsn, wholeLsn);
    } catch (ClosedByInterruptException e) {
      leftToThread = true; // A session was interrupted, and its file closed under it.
    } catch (Throwable e) {
      fail(e);
    } finally {
      lock.lock();
      working = false;
      flushed.signalAll();
      if (waitingForTurn || leftToThread) {
        workRequested.signal();
      }
    }
    checkFailure();
  }

  long awaitFlushBeyond(long lsn, long timeoutMs) throws InterruptedException {
    if (Lsn.isBefore(lsn, flushLsn)) {
      return flushLsn;
    }
    lock.lock();
    try {
      long left = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
      while (!Lsn.isBefore(lsn, flushLsn) && left > 0 && failure == null && !closing) {
        left = flushed.awaitNanos(left);
      }
      return flushLsn;
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    lock.lock();
    try {
      while (awaitWork()) {
        work();
      }
      closeFile();
    } catch (Throwable e) {
      if (failure == null) {
        fail(e);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns false when the log is closed and nothing is left to do. */
  private boolean awaitWork() throws InterruptedException {
    long left = delayNanos;
    while (true) {
      boolean pending = isPending();
      if (working) {
        waitingForTurn = true;
        workRequested.await();
        waitingForTurn = false;
      } else if (pending && (closing || writeRequested || leftToThread || left <= 0)) {
        writeRequested = false;
        return true;
      } else if (closing) {
        return false;
      } else if (pending) {
        left = workRequested.awaitNanos(left);
      } else {
        awaitAppend();
        left = delayNanos;
      }
    }
  }

  /** Bytes to write, or an append that was complete only after its bytes had been forced. */
  private boolean isPending() {
    return copiedLsn != forcedLsn || completeLsn != flushLsn;
  }

  /**
   * The appender reads {@code idle} after it moved the complete position, so one of the two sees.
   */
  private void awaitAppend() throws InterruptedException {
    idle = true;
    if (!isPending() && !closing) {
      workRequested.await();
    }
    idle = false;
  }

  /** No force has failed: a file was closed before all that was written had been forced. */
  private void forceAgain() throws IOException {
    file = null;
    fileNumber = -1;
    long last = segments.number(writeLsn - 1);
    for (long number = segments.number(forcedLsn); number <= last; number++) {
      try (FileChannel segment = segments.openForWriting(number)) {
        segment.force(false);
      }
    }
    leftToThread = false;
  }

  private void writeAndForce(long targetLsn, long wholeLsn) throws IOException {
    FaultPoint.hit("wal.before-write");
    long position = writeLsn;
    while (position < targetLsn) {
      openSegment(segments.number(position));
      int offset = segments.offset(position);
      int length =
          (int)
              Math.min(
                  targetLsn - position, Math.min(WRITE_CHUNK, segments.segmentSize() - offset));
      ring.write(position, length, file, offset);
      position += length;
      writeLsn = position;
      signal(roomMade);
    }
    FaultPoint.hit("wal.before-force");
    if (targetLsn != forcedLsn) {
      openSegment(segments.number(targetLsn - 1));
      force();
    }
    FaultPoint.hit("wal.after-force");
    forcedLsn = targetLsn;
    flushLsn = wholeLsn;
  }

  private void openSegment(long number) throws IOException {
    if (number != fileNumber) {
      closeFile();
      file = segments.openForWriting(number);
      fileNumber = number;
    }
  }

  private void closeFile() throws IOException {
    if (file != null) {
      force();
      file.close();
      file = null;
    }
  }

  private void force() throws IOException {
    file.force(false);
    forces++;
  }

  private void signal(Condition condition) {
    lock.lock();
    try {
      condition.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void fail(Throwable reason) {
    lock.lock();
    try {
      failure = reason;
      roomMade.signalAll();
      flushed.signalAll();
    } finally {
      lock.unlock();
    }
    onFailure.accept(reason);
  }

  /** Writes and forces what was copied, then ends the thread. No append may run. */
  void close() {
    lock.lock();
    try {
      closing = true;
      workRequested.signal();
      flushed.signalAll();
    } finally {
      lock.unlock();
    }
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
