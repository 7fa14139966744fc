package dev.millrace.publisher.walsender;

import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.slots.ReplicationSlots;
import org.springframework.context.SmartLifecycle;

/**
 * The first steps of a clean stop, while the web server still answers probes: no new SQL, open
 * sessions rolled back, commits drained, then every stream sends what there is and waits for its
 * peer. Checkpoint, H2, log and lock follow as their beans are destroyed.
 */
final class CleanStop implements SmartLifecycle {

  private final PublisherNode node;
  private final WalSenders walSenders;
  private final ReplicationSlots slots;
  private volatile boolean running;

  CleanStop(PublisherNode node, WalSenders walSenders, ReplicationSlots slots) {
    this.node = node;
    this.walSenders = walSenders;
    this.slots = slots;
  }

  @Override
  public void start() {
    running = true;
  }

  @Override
  public void stop() {
    running = false;
    node.refuseSessions();
    walSenders.stop();
    slots.saveAll();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Started last and stopped first, before the web server's own graceful shutdown. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }
}
