package dev.millrace.publisher.walsender;

import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.decoding.LogicalDecoding;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.publisher.wal.WriteAheadLog;
import java.time.Clock;

/** What every walsender session of a node works with. */
record SessionServices(
    PublisherNode node,
    CatalogStore catalog,
    WriteAheadLog log,
    ReplicationSlots slots,
    SlotCreation slotCreation,
    LogicalDecoding decoding,
    Clock clock) {}
