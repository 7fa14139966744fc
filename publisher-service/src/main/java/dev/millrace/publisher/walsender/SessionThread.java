package dev.millrace.publisher.walsender;

import dev.millrace.publisher.walsender.ReplicationClient.Ending;
import dev.millrace.publisher.walsender.ReplicationClient.PeerGoneException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of one walsender session: takes the frames that the transport puts into its mailbox
 * one after the other, so that everything sent to the peer comes from here.
 *
 * <p>It is never interrupted: it reads the log and H2's files, and an interrupt in the middle of a
 * read would close their channels for everybody.
 */
final class SessionThread implements Runnable {

  private static final Logger LOG = LoggerFactory.getLogger(SessionThread.class);
  private static final int MAILBOX_CAPACITY = 64;

  /** How long a close frame waits for the session's end; a send that hangs holds it up. */
  private static final long FREE_TIMEOUT_MS = 500;

  /**
   * @param text a command, or null
   * @param refusal why a frame was not allowed, or null; both null: the end
   */
  private record Frame(String text, String refusal) {}

  private static final Frame END = new Frame(null, null);

  private final ReplicationSession session;
  private final ReplicationClient client;
  private final Runnable ended;
  private final BlockingQueue<Frame> mailbox = new LinkedBlockingQueue<>(MAILBOX_CAPACITY);
  private final CountDownLatch freed = new CountDownLatch(1);
  private volatile boolean stopping;
  private volatile boolean aborting;

  /**
   * @param ended called on this thread once everything is freed
   */
  SessionThread(ReplicationSession session, ReplicationClient client, Runnable ended) {
    this.session = session;
    this.client = client;
    this.ended = ended;
  }

  ReplicationSession session() {
    return session;
  }

  void start() {
    Thread thread = new Thread(this, "walsender " + session.pid());
    thread.setDaemon(true);
    thread.start();
  }

  /** A command from the peer. */
  void command(String text) {
    put(new Frame(text, null));
  }

  /** A frame that is not allowed now; its error keeps its place among the answers. */
  void refuse(String reason) {
    put(new Frame(null, reason));
  }

  private void put(Frame frame) {
    if (!mailbox.offer(frame)) {
      client.abort(Ending.POLICY, "too many frames without waiting for their answers");
    }
  }

  /** The peer has gone. */
  void close() {
    session.close();
    end();
  }

  /** The node stops. */
  void stop() {
    stopping = true;
    session.stop();
    end();
  }

  /** Frees the session first: a peer that has read the close code may come back at once. */
  void abort(Ending ending, String reason) {
    aborting = true;
    session.close();
    end();
    try {
      freed.await(FREE_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    client.abort(ending, reason);
  }

  private void end() {
    if (!mailbox.offer(END)) {
      mailbox.clear();
      mailbox.offer(END);
    }
  }

  @Override
  public void run() {
    try {
      serve();
      if (!aborting) {
        client.close(
            stopping ? Ending.SHUTDOWN : Ending.NORMAL,
            stopping ? "terminating connection due to administrator command" : "");
      }
    } catch (PeerGoneException gone) {
      LOG.debug("walsender {}: {}", session.pid(), gone.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      try {
        session.free();
      } finally {
        ended.run();
        freed.countDown();
      }
    }
  }

  private void serve() throws InterruptedException {
    for (Frame frame = mailbox.take(); frame != END; frame = mailbox.take()) {
      if (frame.text() != null) {
        session.execute(frame.text());
      } else {
        session.refuse(frame.refusal());
      }
    }
  }
}
