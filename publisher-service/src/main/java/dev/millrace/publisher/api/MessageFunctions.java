package dev.millrace.publisher.api;

import static dev.millrace.publisher.api.FunctionDefinition.function;
import static dev.millrace.publisher.api.FunctionDefinition.row;

import dev.millrace.model.Lsn;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.sql.SqlSession;
import dev.millrace.sql.SystemFunction;
import java.util.List;

/** pg_logical_emit_message. */
final class MessageFunctions {

  private final PublisherNode node;

  MessageFunctions(PublisherNode node) {
    this.node = node;
  }

  List<SystemFunction> all() {
    return List.of(
        function("pg_logical_emit_message")
            .takes("transactional", "bool")
            .takes("prefix", "text")
            .takes("content", "text or bytea")
            .takes("flush", "bool", false)
            .gives("pg_lsn", this::emit));
  }

  /** Strict, as PostgreSQL's: a NULL gives NULL and writes nothing. */
  private List<Object[]> emit(SqlSession caller, Object[] arguments) {
    for (Object argument : arguments) {
      if (argument == null) {
        return row((Object) null);
      }
    }
    long endLsn =
        node.emitMessage(
            caller,
            (Boolean) arguments[0],
            (String) arguments[1],
            (byte[]) arguments[2],
            (Boolean) arguments[3]);
    return row(Lsn.format(endLsn));
  }
}
