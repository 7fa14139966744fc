package dev.millrace.sql;

import dev.millrace.model.QualifiedName;
import java.util.List;

/**
 * A constraint of a table, written at a column or beside the columns.
 *
 * @param name as written; null to get PostgreSQL's
 * @param columns the columns it binds; for CHECK those its expression uses
 * @param tail what H2 gets behind the kind and the columns: the expression of a CHECK, the
 *     REFERENCES clause of a foreign key
 */
record TableConstraint(Kind kind, String name, List<String> columns, String tail) {

  enum Kind {
    PRIMARY_KEY,
    UNIQUE,
    CHECK,
    FOREIGN_KEY
  }

  /** The name it has in {@code table}. */
  String resolvedName(QualifiedName table, ImplicitNames names) {
    if (name != null) {
      return name;
    }
    switch (kind) {
      case PRIMARY_KEY:
        return names.primaryKey(table.name());
      case UNIQUE:
        return names.unique(table.name(), columns);
      case CHECK:
        return names.check(table.name(), columns.size() == 1 ? columns.get(0) : null);
      default:
        return names.foreignKey(table.name(), columns);
    }
  }

  /** H2's text of it, with {@code constraintName}. */
  String h2Text(String constraintName) {
    String start = "CONSTRAINT " + DdlText.name(constraintName);
    switch (kind) {
      case PRIMARY_KEY:
        return start + " PRIMARY KEY " + DdlText.columns(columns);
      case UNIQUE:
        return start + " UNIQUE " + DdlText.columns(columns);
      case CHECK:
        return start + " CHECK " + tail;
      default:
        return start + " FOREIGN KEY " + DdlText.columns(columns) + " " + tail;
    }
  }
}
