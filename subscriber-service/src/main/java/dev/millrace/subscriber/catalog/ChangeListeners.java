package dev.millrace.subscriber.catalog;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntConsumer;

/** Who wants to know of changed subscriptions. */
final class ChangeListeners {

  private final List<IntConsumer> listeners = new CopyOnWriteArrayList<>();

  void add(IntConsumer listener) {
    listeners.add(listener);
  }

  void changed(int subscriptionOid) {
    listeners.forEach(listener -> listener.accept(subscriptionOid));
  }
}
