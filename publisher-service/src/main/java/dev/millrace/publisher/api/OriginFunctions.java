package dev.millrace.publisher.api;

import static dev.millrace.publisher.api.FunctionDefinition.function;
import static dev.millrace.publisher.api.FunctionDefinition.row;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgTime;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.origin.ReplicationOrigin;
import dev.millrace.publisher.origin.ReplicationOrigins;
import dev.millrace.publisher.origin.SessionOrigin;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.sql.SqlSession;
import dev.millrace.sql.SystemFunction;
import dev.millrace.sql.SystemFunction.Body;
import java.time.OffsetDateTime;
import java.util.List;

/** The SQL functions on replication origins (C5); strict, as PostgreSQL's. */
final class OriginFunctions {

  private final PublisherNode node;
  private final ReplicationOrigins origins;
  private final WriteAheadLog log;

  OriginFunctions(PublisherNode node, ReplicationOrigins origins, WriteAheadLog log) {
    this.node = node;
    this.origins = origins;
    this.log = log;
  }

  List<SystemFunction> all() {
    return List.of(
        function("pg_replication_origin_create")
            .takes("node_name", "text")
            .gives("oid", strict((caller, name) -> row(origins.create((String) name[0])))),
        function("pg_replication_origin_drop")
            .takes("node_name", "text")
            .gives("void", strict(this::drop)),
        function("pg_replication_origin_oid")
            .takes("node_name", "text")
            .gives("oid", strict((caller, name) -> row(origins.idOf((String) name[0])))),
        function("pg_replication_origin_session_setup")
            .takes("node_name", "text")
            .gives("void", strict(this::setUp)),
        function("pg_replication_origin_session_reset").gives("void", this::reset),
        function("pg_replication_origin_session_is_setup")
            .gives("bool", (caller, none) -> row(node.origin(caller).id() != 0)),
        function("pg_replication_origin_session_progress")
            .takes("flush", "bool")
            .gives("pg_lsn", strict(this::sessionProgress)),
        function("pg_replication_origin_xact_setup")
            .takes("origin_lsn", "pg_lsn")
            .takes("origin_timestamp", "timestamptz")
            .gives("void", strict(this::setUpTransaction)),
        function("pg_replication_origin_xact_reset").gives("void", this::resetTransaction),
        function("pg_replication_origin_advance")
            .takes("node_name", "text")
            .takes("lsn", "pg_lsn")
            .gives("void", strict(this::advance)),
        function("pg_replication_origin_progress")
            .takes("node_name", "text")
            .takes("flush", "bool")
            .gives("pg_lsn", strict((caller, name) -> progress((String) name[0]))));
  }

  /** A NULL argument gives NULL and does nothing. */
  private static Body strict(Body body) {
    return (caller, arguments) -> {
      for (Object argument : arguments) {
        if (argument == null) {
          return row((Object) null);
        }
      }
      return body.call(caller, arguments);
    };
  }

  private List<Object[]> drop(SqlSession caller, Object[] arguments) {
    origins.drop((String) arguments[0]);
    return row("");
  }

  private List<Object[]> setUp(SqlSession caller, Object[] arguments) {
    node.origin(caller).setUp((String) arguments[0], caller.pid());
    return row("");
  }

  private List<Object[]> reset(SqlSession caller, Object[] none) {
    node.origin(caller).reset();
    return row("");
  }

  private List<Object[]> sessionProgress(SqlSession caller, Object[] flush) {
    SessionOrigin session = node.origin(caller);
    session.require();
    return progress(session.name());
  }

  private List<Object[]> progress(String name) {
    ReplicationOrigin origin = origins.get(name);
    return row(origin.remoteLsn() == 0 ? null : Lsn.format(origin.remoteLsn()));
  }

  private List<Object[]> setUpTransaction(SqlSession caller, Object[] arguments) {
    long lsn = Lsn.parse((String) arguments[0]).value();
    long time = PgTime.fromInstant(((OffsetDateTime) arguments[1]).toInstant());
    node.origin(caller).setUpTransaction(lsn, time);
    return row("");
  }

  private List<Object[]> resetTransaction(SqlSession caller, Object[] none) {
    node.origin(caller).resetTransaction();
    return row("");
  }

  private List<Object[]> advance(SqlSession caller, Object[] arguments) {
    origins.advance(
        (String) arguments[0], Lsn.parse((String) arguments[1]).value(), log.insertLsn());
    return row("");
  }
}
