package dev.millrace.publisher.database;

import org.springframework.context.SmartLifecycle;

/** One step of a clean stop; nothing happens at the start. */
public final class StopStep implements SmartLifecycle {

  private final int phase;
  private final Runnable step;
  private volatile boolean running;

  /**
   * @param phase one of {@link StopPhases}
   */
  public StopStep(int phase, Runnable step) {
    this.phase = phase;
    this.step = step;
  }

  @Override
  public void start() {
    running = true;
  }

  @Override
  public void stop() {
    running = false;
    step.run();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return phase;
  }
}
