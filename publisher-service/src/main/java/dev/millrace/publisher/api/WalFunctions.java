package dev.millrace.publisher.api;

import static dev.millrace.publisher.api.FunctionDefinition.function;
import static dev.millrace.publisher.api.FunctionDefinition.row;

import dev.millrace.model.Lsn;
import dev.millrace.publisher.wal.WriteAheadLog;
import dev.millrace.sql.SystemFunction;
import java.util.List;

/** The SQL functions on positions of the log. */
final class WalFunctions {

  private final WriteAheadLog log;

  WalFunctions(WriteAheadLog log) {
    this.log = log;
  }

  List<SystemFunction> all() {
    return List.of(
        function("pg_current_wal_lsn")
            .gives("pg_lsn", (caller, arguments) -> row(Lsn.format(log.writeLsn()))),
        function("pg_current_wal_insert_lsn")
            .gives("pg_lsn", (caller, arguments) -> row(Lsn.format(log.insertLsn()))),
        function("pg_current_wal_flush_lsn")
            .gives("pg_lsn", (caller, arguments) -> row(Lsn.format(log.flushLsn()))),
        function("pg_walfile_name")
            .takes("lsn", "pg_lsn")
            .gives("text", (caller, arguments) -> row(fileName(arguments[0]))),
        function("pg_is_in_recovery").gives("bool", (caller, arguments) -> row(false)),
        function("pg_last_wal_receive_lsn")
            .gives("pg_lsn", (caller, arguments) -> row((Object) null)),
        function("pg_last_wal_replay_lsn")
            .gives("pg_lsn", (caller, arguments) -> row((Object) null)));
  }

  private String fileName(Object lsn) {
    return lsn == null ? null : log.segmentName(Lsn.parse(lsn.toString()).value());
  }
}
