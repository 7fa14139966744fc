package dev.millrace.publisher.api;

import static dev.millrace.publisher.api.FunctionDefinition.function;
import static dev.millrace.publisher.api.FunctionDefinition.row;

import dev.millrace.model.QualifiedName;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.sql.SqlSession;
import dev.millrace.sql.SystemFunction;
import dev.millrace.sql.TokenStream;
import java.util.List;

/** txid_current, pg_current_xact_id and setval. */
final class TransactionFunctions {

  private final PublisherNode node;

  TransactionFunctions(PublisherNode node) {
    this.node = node;
  }

  List<SystemFunction> all() {
    return List.of(
        function("txid_current").gives("int8", (caller, arguments) -> xid(caller)),
        function("pg_current_xact_id").gives("int8", (caller, arguments) -> xid(caller)),
        function("setval")
            .takes("sequence", "text")
            .takes("value", "int8")
            .takes("is_called", "bool", true)
            .gives("int8", this::setSequence));
  }

  private List<Object[]> xid(SqlSession caller) {
    return row(Integer.toUnsignedLong(node.assignXid(caller)));
  }

  /** Strict: a NULL gives NULL and sets nothing. */
  private List<Object[]> setSequence(SqlSession caller, Object[] arguments) {
    for (Object argument : arguments) {
      if (argument == null) {
        return row((Object) null);
      }
    }
    TokenStream stream = TokenStream.ofReplicationCommand((String) arguments[0]);
    QualifiedName sequence = stream.qualifiedName();
    stream.expectEnd();
    long value = ((Number) arguments[1]).longValue();
    node.setSequence(caller, sequence, value, (Boolean) arguments[2]);
    return row(value);
  }
}
