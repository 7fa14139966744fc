package dev.millrace.publisher.api;

import dev.millrace.model.Notice;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.decoding.SlotChanges;
import dev.millrace.publisher.decoding.SlotChanges.Change;
import dev.millrace.settings.Settings;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** get_changes and peek_changes, for REST and SQL alike, by the settings of who asks. */
final class SlotReading {

  private final SlotChanges changes;
  private final PublisherNode node;
  private final Settings nodeSettings;

  SlotReading(SlotChanges changes, PublisherNode node, Settings nodeSettings) {
    this.changes = changes;
    this.node = node;
    this.nodeSettings = nodeSettings;
  }

  /**
   * What is asked of a slot.
   *
   * @param uptoLsn 0 without a limit
   * @param uptoChanges 0 without a limit
   */
  record Range(long uptoLsn, int uptoChanges) {}

  /**
   * @param session the settings of the session that asks; null = the node's
   */
  List<Change> read(
      String slot,
      long pid,
      Range range,
      Map<String, String> options,
      boolean consume,
      boolean binary,
      Settings session,
      Consumer<Notice> notices) {
    Settings settings = session == null ? nodeSettings : session;
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
            settings.get("debug_logical_replication_streaming").equals("immediate"),
            notices));
  }
}
