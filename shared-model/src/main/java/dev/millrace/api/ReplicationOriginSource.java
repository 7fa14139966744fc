package dev.millrace.api;

import java.util.List;

/** Where {@code /replication-origins} takes its rows from. */
@FunctionalInterface
public interface ReplicationOriginSource {

  List<ReplicationOriginStatus> replicationOrigins();
}
