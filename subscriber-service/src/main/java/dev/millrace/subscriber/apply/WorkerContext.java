package dev.millrace.subscriber.apply;

import dev.millrace.settings.Settings;
import dev.millrace.subscriber.catalog.NodeIdentity;
import dev.millrace.subscriber.catalog.SlotIntents;
import dev.millrace.subscriber.catalog.SubscriptionCatalog;
import dev.millrace.subscriber.conflict.ConflictLog;
import dev.millrace.subscriber.receiver.PublisherConnector;
import dev.millrace.subscriber.target.TargetDatabase;
import java.time.Clock;

/** What every worker of this node works with. */
public record WorkerContext(
    PublisherConnector connector,
    TargetDatabase target,
    SubscriptionCatalog catalog,
    SlotIntents slotIntents,
    NodeIdentity node,
    ConflictLog conflicts,
    Settings settings,
    Clock clock) {}
