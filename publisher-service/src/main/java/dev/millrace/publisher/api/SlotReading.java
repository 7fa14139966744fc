package dev.millrace.publisher.api;

import dev.millrace.model.Notice;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.decoding.SlotChanges;
import dev.millrace.publisher.decoding.SlotChanges.Change;
import dev.millrace.settings.Settings;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** get_changes and peek_changes, for REST and SQL alike. */
final class SlotReading {

  private final SlotChanges changes;
  private final PublisherNode node;
  private final Settings settings;

  SlotReading(SlotChanges changes, PublisherNode node, Settings settings) {
    this.changes = changes;
    this.node = node;
    this.settings = settings;
  }

  /**
   * What is asked of a slot.
   *
   * @param uptoLsn 0 without a limit
   * @param uptoChanges 0 without a limit
   */
  record Range(long uptoLsn, int uptoChanges) {}

  List<Change> read(
      String slot,
      long pid,
      Range range,
      Map<String, String> options,
      boolean consume,
      boolean binary,
      Consumer<Notice> notices) {
    return changes.read(
        new SlotChanges.Request(
            slot,
            node.databaseName(),
            pid,
            range.uptoLsn(),
            range.uptoChanges(),
            options,
            consume,
            binary,
            settings.getInt("max_rows_per_answer"),
            settings.getBytes("logical_decoding_work_mem"),
            notices));
  }
}
