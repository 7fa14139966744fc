package dev.millrace.subscriber.receiver;

import java.util.ArrayDeque;

/**
 * What arrived and was not taken yet, bounded in bytes by its two users: the socket's thread stops
 * asking for more when {@link #add} says so, and the taking thread asks again when {@link #poll}
 * has emptied half of it. So nothing here ever blocks the socket's thread.
 */
final class FrameQueue {

  /**
   * A thing that arrived, in order.
   *
   * @param bytes what it costs
   */
  sealed interface Event {
    int bytes();
  }

  record Binary(PublisherConnection.Frame frame, int bytes) implements Event {}

  record Text(String text) implements Event {
    @Override
    public int bytes() {
      return text.length() * 2;
    }
  }

  /** The end of the connection; stays in the queue for every later reader. */
  record Ended(RuntimeException reason) implements Event {
    @Override
    public int bytes() {
      return 0;
    }
  }

  private final long limitBytes;
  private final ArrayDeque<Event> events = new ArrayDeque<>();
  private long bytes;
  private boolean full;

  FrameQueue(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** Adds an event; true when more may be read from the socket. */
  synchronized boolean add(Event event) {
    events.add(event);
    bytes += event.bytes();
    full = bytes >= limitBytes;
    notifyAll();
    return !full;
  }

  synchronized boolean isFull() {
    return full;
  }

  /**
   * The next event, or null when the time is over.
   *
   * @param reopened run when the queue was full and half of it is free again
   */
  Event poll(long timeoutMs, Runnable reopened) throws InterruptedException {
    Event event;
    boolean reopen = false;
    synchronized (this) {
      long deadline = System.nanoTime() + timeoutMs * 1_000_000;
      while (events.isEmpty()) {
        long left = (deadline - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          return null;
        }
        wait(left);
      }
      event = events.peek();
      if (!(event instanceof Ended)) {
        events.remove();
        bytes -= event.bytes();
        if (full && bytes <= limitBytes / 2) {
          full = false;
          reopen = true;
        }
      }
    }
    if (reopen) {
      reopened.run();
    }
    return event;
  }
}
