package dev.millrace.publisher.database;

import dev.millrace.publisher.slots.ReplicationSlots;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;

/**
 * The slots once the service has started. They are built after the node, whose first checkpoint
 * comes before them: asking for the bean then would build it in the middle of the node's own start.
 */
final class LoadedSlots implements Supplier<ReplicationSlots> {

  private final ObjectProvider<ReplicationSlots> provider;
  private volatile ReplicationSlots slots;

  LoadedSlots(ObjectProvider<ReplicationSlots> provider) {
    this.provider = provider;
  }

  /** From now on {@link #get} gives the slots. */
  void started() {
    slots = provider.getIfAvailable();
  }

  @Override
  public ReplicationSlots get() {
    return slots;
  }
}
