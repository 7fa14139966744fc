package dev.millrace.subscriber.session;

import dev.millrace.subscriber.catalog.LocalRelations;
import dev.millrace.subscriber.command.SubscriptionCommands;
import dev.millrace.subscriber.target.TargetDatabase;

/** What a session's backend works with. */
record SessionServices(
    TargetUsers users,
    TargetDatabase target,
    LocalRelations relations,
    LocalDefinitions definitions,
    SubscriptionCommands commands,
    TypeTriggers typeTriggers) {}
