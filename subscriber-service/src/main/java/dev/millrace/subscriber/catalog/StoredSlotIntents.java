package dev.millrace.subscriber.catalog;

import jakarta.persistence.EntityManager;
import java.util.List;

/** {@link SlotIntents} in the catalogue. */
final class StoredSlotIntents implements SlotIntents {

  private final EntityManager entities;
  private final DurableCommit commits;

  StoredSlotIntents(EntityManager entities, DurableCommit commits) {
    this.entities = entities;
    this.commits = commits;
  }

  @Override
  public SlotIntent note(
      int subscriptionOid,
      int relationOid,
      String slotName,
      String connection,
      SlotIntent.Action action) {
    SlotIntentRow row =
        new SlotIntentRow(subscriptionOid, relationOid, slotName, connection, action);
    commits.commitDurably(() -> entities.persist(row));
    return row.toIntent();
  }

  @Override
  public void settle(SlotIntent intent) {
    commits.commitDurably(() -> remove(entities, intent));
  }

  /** Inside the caller's transaction. */
  static void remove(EntityManager entities, SlotIntent intent) {
    SlotIntentRow row = entities.find(SlotIntentRow.class, intent.id());
    if (row != null) {
      entities.remove(row);
    }
  }

  @Override
  public List<SlotIntent> open() {
    return commits.commit(
        () ->
            entities
                .createQuery("from SlotIntentRow order by id", SlotIntentRow.class)
                .getResultList()
                .stream()
                .map(SlotIntentRow::toIntent)
                .toList());
  }
}
