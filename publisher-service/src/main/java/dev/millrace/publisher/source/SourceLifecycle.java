package dev.millrace.publisher.source;

import dev.millrace.publisher.database.StopPhases;
import org.springframework.context.SmartLifecycle;

/**
 * Reads while the service runs: begins when everything else is there, and ends before the
 * walsenders, which then send what was taken over last.
 */
final class SourceLifecycle implements SmartLifecycle {

  private final SourceReceiver receiver;
  private volatile boolean running;

  SourceLifecycle(SourceReceiver receiver) {
    this.receiver = receiver;
  }

  @Override
  public void start() {
    running = true;
    receiver.start();
  }

  @Override
  public void stop() {
    running = false;
    receiver.stop();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return StopPhases.SESSIONS;
  }
}
