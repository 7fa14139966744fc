package dev.millrace.sql;

import dev.millrace.model.Identifiers;
import dev.millrace.model.QualifiedName;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/** Pieces of the DDL that is sent to H2: every name quoted, every relation with its schema. */
final class DdlText {

  private DdlText() {}

  static String name(QualifiedName name) {
    return Identifiers.alwaysQuote(name);
  }

  static String name(String name) {
    return Identifiers.alwaysQuote(name);
  }

  static String names(List<QualifiedName> names) {
    List<String> quoted = new ArrayList<>();
    names.forEach(name -> quoted.add(name(name)));
    return String.join(", ", quoted);
  }

  /** Column names in brackets. */
  static String columns(List<String> columns) {
    StringJoiner text = new StringJoiner(", ", "(", ")");
    columns.forEach(column -> text.add(Identifiers.alwaysQuote(column)));
    return text.toString();
  }

  static String alterTable(QualifiedName table, String action) {
    return "ALTER TABLE " + name(table) + " " + action;
  }
}
