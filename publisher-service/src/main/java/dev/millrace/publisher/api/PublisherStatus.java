package dev.millrace.publisher.api;

import dev.millrace.api.NodeStatus;
import dev.millrace.api.StatusContributor;
import dev.millrace.model.Lsn;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.slots.ReplicationSlot;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.publisher.walsender.WalSenders;
import dev.millrace.settings.Settings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What {@code /status} says of the publisher. */
final class PublisherStatus implements NodeStatus, StatusContributor {

  private final PublisherNode node;
  private final WriteAheadLog log;
  private final ReplicationSlots slots;
  private final WalSenders walSenders;
  private final Settings settings;

  PublisherStatus(
      PublisherNode node,
      WriteAheadLog log,
      ReplicationSlots slots,
      WalSenders walSenders,
      Settings settings) {
    this.node = node;
    this.log = log;
    this.slots = slots;
    this.walSenders = walSenders;
    this.settings = settings;
  }

  @Override
  public String role() {
    return "publisher";
  }

  @Override
  public String systemIdentifier() {
    return node.systemIdentifier();
  }

  @Override
  public String currentLsn() {
    return Lsn.format(log.flushLsn());
  }

  @Override
  public Map<String, Number> counts() {
    Map<String, Number> counts = new LinkedHashMap<>();
    counts.put("slots", slots.all().size());
    counts.put("wal_senders", walSenders.views().size());
    counts.put("wal_segments", log.segments().size());
    return counts;
  }

  @Override
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (log.failure() != null) {
      problems.add("The write-ahead log has stopped: " + log.failure().getMessage() + ".");
    }
    long tolerated = settings.getBytes("max_wal_size");
    for (ReplicationSlot slot : slots.all()) {
      long kept = log.insertLsn() - slot.restartLsn();
      if (slot.restartLsn() != 0 && kept > tolerated) {
        problems.add(
            "Replication slot \""
                + slot.name()
                + "\" holds back "
                + kept
                + " bytes of log"
                + (slot.activePid() == 0 ? " and has no consumer." : "."));
      }
    }
    return problems;
  }
}
