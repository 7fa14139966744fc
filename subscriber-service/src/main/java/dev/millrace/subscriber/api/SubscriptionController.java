package dev.millrace.subscriber.api;

import dev.millrace.api.Paging;
import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.sql.SqlSession;
import dev.millrace.sql.SqlSessionFactory;
import dev.millrace.subscriber.catalog.NodeIdentity;
import dev.millrace.subscriber.catalog.Subscription;
import dev.millrace.subscriber.catalog.SubscriptionCatalog;
import dev.millrace.subscriber.conflict.ConflictLog;
import dev.millrace.subscriber.launcher.Launcher;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/**
 * {@code /subscriptions}: what a session can do by SQL, as calls. Each change runs in a session of
 * its own; the changes of one PATCH happen one after the other, and the first error ends it.
 */
@RestController
@RequestMapping("/api/v1/subscriptions")
@Tag(name = "subscriptions", description = "pg_subscription; CREATE, ALTER, DROP SUBSCRIPTION")
class SubscriptionController {

  private static final String EXAMPLE = "mysub";

  private final SubscriptionCatalog catalog;
  private final NodeIdentity node;
  private final SqlSessionFactory sessions;
  private final Launcher launcher;
  private final ConflictLog conflicts;
  private final Clock clock;

  SubscriptionController(
      SubscriptionCatalog catalog,
      NodeIdentity node,
      SqlSessionFactory sessions,
      Launcher launcher,
      ConflictLog conflicts,
      Clock clock) {
    this.catalog = catalog;
    this.node = node;
    this.sessions = sessions;
    this.launcher = launcher;
    this.conflicts = conflicts;
    this.clock = clock;
  }

  @GetMapping
  @Operation(operationId = "listSubscriptions", summary = "pg_subscription, by name")
  ResponseEntity<List<SubscriptionBody>> list(
      @RequestParam(required = false) Integer limit, @RequestParam(required = false) String after) {
    List<SubscriptionBody> rows =
        catalog.subscriptions().stream().map(row -> body(row, List.of())).toList();
    return Paging.page(rows, SubscriptionBody::subname, limit, after);
  }

  @PostMapping
  @ResponseStatus(HttpStatus.CREATED)
  @Operation(operationId = "createSubscription", summary = "CREATE SUBSCRIPTION")
  ResponseEntity<SubscriptionBody> create(@RequestBody SubscriptionBodies.Create body) {
    List<Notice> notices = run(List.of(SubscriptionSql.create(body)));
    var location =
        ServletUriComponentsBuilder.fromCurrentRequest()
            .pathSegment("{name}")
            .encode()
            .buildAndExpand(body.name())
            .toUri();
    return ResponseEntity.created(location).body(body(find(body.name()), notices));
  }

  @GetMapping("/{name}")
  @Operation(operationId = "getSubscription", summary = "One row of pg_subscription")
  SubscriptionBody get(@PathVariable @Parameter(example = EXAMPLE) String name) {
    return body(find(name), List.of());
  }

  @PatchMapping("/{name}")
  @Operation(
      operationId = "alterSubscription",
      summary = "ALTER SUBSCRIPTION",
      description = "Any of the changes, one after the other; the first error ends the call.")
  SubscriptionBody alter(
      @PathVariable @Parameter(example = EXAMPLE) String name,
      @RequestBody SubscriptionBodies.Alter body) {
    find(name);
    List<Notice> notices = run(SubscriptionSql.alter(name, body));
    return body(find(body.renameTo() == null ? name : body.renameTo()), notices);
  }

  @DeleteMapping("/{name}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(
      operationId = "dropSubscription",
      summary = "DROP SUBSCRIPTION",
      description = "Drops its slots on the publisher too, or says how to when that cannot be.")
  void drop(@PathVariable @Parameter(example = EXAMPLE) String name) {
    find(name); // SQL would shorten a long name and drop the subscription that has the short one.
    run(List.of(SubscriptionSql.drop(name)));
  }

  @PostMapping("/{name}/enable")
  @Operation(operationId = "enableSubscription", summary = "ALTER SUBSCRIPTION .. ENABLE")
  SubscriptionBody enable(@PathVariable @Parameter(example = EXAMPLE) String name) {
    return body(name, SubscriptionSql.enable(name));
  }

  @PostMapping("/{name}/disable")
  @Operation(operationId = "disableSubscription", summary = "ALTER SUBSCRIPTION .. DISABLE")
  SubscriptionBody disable(@PathVariable @Parameter(example = EXAMPLE) String name) {
    return body(name, SubscriptionSql.disable(name));
  }

  @PostMapping("/{name}/refresh")
  @Operation(
      operationId = "refreshSubscription",
      summary = "ALTER SUBSCRIPTION .. REFRESH PUBLICATION")
  SubscriptionBody refresh(
      @PathVariable @Parameter(example = EXAMPLE) String name,
      @RequestBody(required = false) SubscriptionBodies.Refresh body) {
    return body(name, SubscriptionSql.refresh(name, body == null ? null : body.copyData()));
  }

  @PostMapping("/{name}/skip")
  @Operation(operationId = "skipTransaction", summary = "ALTER SUBSCRIPTION .. SKIP (lsn = ..)")
  SubscriptionBody skip(
      @PathVariable @Parameter(example = EXAMPLE) String name,
      @RequestBody SubscriptionBodies.Skip body) {
    return body(name, SubscriptionSql.skip(name, body.lsn()));
  }

  @GetMapping("/{name}/tables")
  @Operation(
      operationId = "listSubscribedTables",
      summary = "pg_subscription_rel with names and copy progress, by schema and name")
  ResponseEntity<List<SubscribedTableBody>> tables(
      @PathVariable @Parameter(example = EXAMPLE) String name,
      @RequestParam(required = false) Integer limit,
      @RequestParam(required = false) String after) {
    List<SubscribedTableBody> rows =
        catalog.relations(find(name).oid()).stream()
            .map(row -> SubscribedTableBody.of(row, launcher))
            .toList();
    return Paging.page(rows, SubscribedTableBody::key, limit, after);
  }

  @GetMapping("/{name}/stats")
  @Operation(
      operationId = "getSubscriptionStatistics",
      summary = "The row of pg_stat_subscription_stats")
  SubscriptionStatisticsBody statistics(@PathVariable @Parameter(example = EXAMPLE) String name) {
    Subscription row = find(name);
    return SubscriptionStatisticsBody.of(row, catalog.statistics(row.oid()));
  }

  @PostMapping("/{name}/stats/reset")
  @Operation(
      operationId = "resetSubscriptionStatistics",
      summary = "pg_stat_reset_subscription_stats")
  SubscriptionStatisticsBody resetStatistics(
      @PathVariable @Parameter(example = EXAMPLE) String name) {
    catalog.statistics(find(name).oid()).reset(clock.instant());
    return statistics(name);
  }

  @GetMapping("/{name}/conflicts")
  @Operation(
      operationId = "listConflicts",
      summary = "The latest conflicts, newest first",
      description = "They are kept in memory; the counters in the statistics last.")
  List<ConflictBody> conflicts(@PathVariable @Parameter(example = EXAMPLE) String name) {
    return conflicts.of(find(name).oid()).stream().map(ConflictBody::of).toList();
  }

  private SubscriptionBody body(String name, String sql) {
    find(name);
    List<Notice> notices = run(List.of(sql));
    return body(find(name), notices);
  }

  private List<Notice> run(List<String> statements) {
    List<Notice> notices = new ArrayList<>();
    try (SqlSession session = sessions.open()) {
      for (String statement : statements) {
        notices.addAll(session.execute(statement, List.of()).notices());
      }
    }
    return notices;
  }

  private SubscriptionBody body(Subscription row, List<Notice> notices) {
    return SubscriptionBody.of(row, node.databaseOid(), catalog.disableError(row.oid()), notices);
  }

  private Subscription find(String name) {
    Subscription row = catalog.subscription(name);
    if (row == null) {
      throw new PgException(
          SqlState.UNDEFINED_OBJECT, "subscription \"" + name + "\" does not exist");
    }
    return row;
  }
}
