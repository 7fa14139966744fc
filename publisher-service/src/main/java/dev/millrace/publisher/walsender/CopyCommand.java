package dev.millrace.publisher.walsender;

import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.replication.ReplicationCommand.CopyToStdout;
import dev.millrace.sql.CopySelect;
import java.util.Map;

/** Checks a COPY command before anything is sent. */
final class CopyCommand {

  private final CopyToStdout command;
  private final CatalogStore catalog;
  private final CopySelect select;

  CopyCommand(CopyToStdout command, CatalogStore catalog) {
    this.command = command;
    this.catalog = catalog;
    for (Map.Entry<String, String> option : command.options().entrySet()) {
      checkOption(option.getKey(), option.getValue());
    }
    this.select = command.table() == null ? CopySelect.parse(command.query()) : null;
  }

  /** The table as the snapshot shows it; while a snapshot is open nobody alters a table. */
  TableCopy open() {
    QualifiedName table = select == null ? command.table() : select.table();
    RelationDefinition relation = catalog.current().relation(table);
    if (relation == null) {
      throw new PgException(SqlState.UNDEFINED_TABLE, "relation \"" + table + "\" does not exist");
    }
    return select == null
        ? TableCopy.of(relation, command.columns())
        : TableCopy.of(relation, select);
  }

  private static void checkOption(String name, String value) {
    if (!name.equals("format")) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED, "COPY option \"" + name + "\" is not supported");
    }
    if (value.equals("binary") || value.equals("csv")) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED, "COPY format \"" + value + "\" is not supported yet");
    }
    if (!value.equals("text")) {
      throw new PgException(
          SqlState.INVALID_PARAMETER_VALUE, "COPY format \"" + value + "\" not recognized");
    }
  }
}
