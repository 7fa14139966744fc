package dev.millrace.sql;

import dev.millrace.settings.SettingDefinition;
import dev.millrace.settings.Settings;
import java.util.ArrayList;
import java.util.List;

/** The rows of pg_settings, in PostgreSQL 18's column order. */
public final class SettingRows {

  private static final String COLUMNS =
      "name text, setting text, unit text, category text, short_desc text, extra_desc text,"
          + " context text, vartype text, source text, min_val text, max_val text,"
          + " enumvals _text, boot_val text, reset_val text, sourcefile text, sourceline int4,"
          + " pending_restart bool";

  private SettingRows() {}

  /** The view's columns. */
  public static List<ResultColumn> columns() {
    return ViewColumns.of(COLUMNS);
  }

  /** One row a setting as {@code settings} sees it, ordered by name. */
  public static List<Object[]> of(Settings settings) {
    List<Object[]> rows = new ArrayList<>();
    for (SettingDefinition definition : settings.definitions()) {
      String name = definition.name();
      rows.add(
          new Object[] {
            name,
            settings.get(name),
            definition.unit(),
            "Replication",
            definition.description(),
            null,
            definition.context().pgName(),
            definition.type().pgName(),
            settings.source(name),
            definition.min() == null ? null : definition.min().toString(),
            definition.max() == null ? null : definition.max().toString(),
            enumValues(definition),
            definition.defaultValue(),
            settings.resetValue(name),
            null,
            null,
            false
          });
    }
    return rows;
  }

  private static String enumValues(SettingDefinition definition) {
    if (definition.enumValues() == null) {
      return null;
    }
    StringBuilder array = new StringBuilder("{");
    for (String value : definition.enumValues()) {
      array.append(array.length() > 1 ? "," : "").append(element(value));
    }
    return array.append('}').toString();
  }

  /** Array elements with blanks or commas stand in double quotes. */
  private static String element(String value) {
    return value.matches("[A-Za-z0-9_+:/-]+") ? value : '"' + value + '"';
  }
}
