package dev.millrace.publisher.api;

import dev.millrace.api.ReplicationOriginSource;
import dev.millrace.api.ReplicationOriginStatus;
import dev.millrace.model.Lsn;
import dev.millrace.publisher.origin.ReplicationOrigin;
import dev.millrace.publisher.origin.ReplicationOrigins;
import dev.millrace.sql.SystemView;
import java.util.Comparator;
import java.util.List;

/** pg_replication_origin, and its status over SQL and REST. */
final class OriginViews implements ReplicationOriginSource {

  private final ReplicationOrigins origins;

  OriginViews(ReplicationOrigins origins) {
    this.origins = origins;
  }

  List<SystemView> all() {
    return List.of(
        new SystemView(
            "pg_replication_origin",
            ReplicationViews.columns("roident oid, roname text"),
            () ->
                origins.all().stream()
                    .map(origin -> new Object[] {origin.id(), origin.name()})
                    .toList()),
        new SystemView(
            "pg_replication_origin_status",
            ReplicationViews.columns(
                "local_id oid, external_id text, remote_lsn pg_lsn, local_lsn pg_lsn"),
            () ->
                withProgress().stream()
                    .map(
                        origin ->
                            new Object[] {
                              origin.id(),
                              origin.name(),
                              Lsn.format(origin.remoteLsn()),
                              Lsn.format(origin.localLsn())
                            })
                    .toList()));
  }

  private List<ReplicationOrigin> withProgress() {
    return origins.all().stream().filter(origin -> origin.asOfLsn() != 0).toList();
  }

  @Override
  public List<ReplicationOriginStatus> replicationOrigins() {
    return withProgress().stream()
        .sorted(Comparator.comparing(ReplicationOrigin::name))
        .map(
            origin ->
                new ReplicationOriginStatus(
                    origin.id(),
                    origin.name(),
                    Lsn.format(origin.remoteLsn()),
                    Lsn.format(origin.localLsn())))
        .toList();
  }
}
