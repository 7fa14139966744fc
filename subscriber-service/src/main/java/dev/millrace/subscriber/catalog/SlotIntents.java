package dev.millrace.subscriber.catalog;

import java.util.List;

/** The open intents of this node (storage.md 6). Safe for any thread. */
public interface SlotIntents {

  /** Stores the intent and returns when it is durable. */
  SlotIntent note(
      int subscriptionOid,
      int relationOid,
      String slotName,
      String connection,
      SlotIntent.Action action);

  /**
   * Forgets an intent whose outcome is settled, and returns when that is durable: a command that
   * was refused must not be finished by the next start.
   */
  void settle(SlotIntent intent);

  List<SlotIntent> open();
}
