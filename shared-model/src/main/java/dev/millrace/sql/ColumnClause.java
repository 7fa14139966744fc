package dev.millrace.sql;

import java.util.List;

/**
 * A column as CREATE TABLE and ADD COLUMN define it.
 *
 * @param h2Definition type, default, identity or generation for H2, without NOT NULL
 * @param prerequisites H2 statements that must come before the table's
 * @param constraints those written at the column, which H2 gets as constraints of the table
 */
record ColumnClause(
    String name,
    String h2Definition,
    boolean notNull,
    List<String> prerequisites,
    List<TableConstraint> constraints) {

  String h2Text(boolean forceNotNull) {
    return DdlText.name(name) + " " + h2Definition + (notNull || forceNotNull ? " NOT NULL" : "");
  }
}
