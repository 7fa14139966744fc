package dev.millrace.publisher.api;

import static dev.millrace.publisher.api.FunctionDefinition.function;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.sql.SystemFunction;
import java.util.List;

/** PostgreSQL's functions that are known but not built yet: refused by name, with any arguments. */
final class LaterFunctions {

  private static final List<String> NAMES =
      List.of(
          "pg_create_physical_replication_slot",
          "pg_copy_physical_replication_slot",
          "pg_sync_replication_slots",
          "pg_log_standby_snapshot",
          "pg_export_snapshot",
          "pg_promote");

  private LaterFunctions() {}

  static List<SystemFunction> all() {
    return NAMES.stream().map(LaterFunctions::refused).toList();
  }

  private static SystemFunction refused(String name) {
    return function(name)
        .takesRest("arguments", "text")
        .gives(
            "text",
            (caller, arguments) -> {
              throw new PgException(
                  SqlState.FEATURE_NOT_SUPPORTED, "function " + name + " is not supported yet");
            });
  }
}
