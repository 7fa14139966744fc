package dev.millrace.publisher.database;

import dev.millrace.settings.SettingDefinition;
import dev.millrace.settings.Settings;
import dev.millrace.sql.ParsedStatement;
import dev.millrace.sql.ResultColumn;
import dev.millrace.sql.StatementResult;
import java.util.ArrayList;
import java.util.List;

/** SHOW, SET and RESET on a session's settings. Stateless. */
final class SettingStatements {

  private SettingStatements() {}

  static StatementResult show(Settings settings, String name) {
    if (name.equals("all")) {
      return showAll(settings);
    }
    List<Object> row = List.of(settings.show(name));
    return new StatementResult("SHOW", List.of(new ResultColumn(name, "text")), List.of(row));
  }

  private static StatementResult showAll(Settings settings) {
    List<List<Object>> rows = new ArrayList<>();
    for (SettingDefinition definition : settings.definitions()) {
      rows.add(
          List.of(definition.name(), settings.show(definition.name()), definition.description()));
    }
    List<ResultColumn> columns =
        List.of(
            new ResultColumn("name", "text"),
            new ResultColumn("setting", "text"),
            new ResultColumn("description", "text"));
    return new StatementResult("SHOW", columns, rows);
  }

  static StatementResult set(Settings settings, ParsedStatement.SetParameter set) {
    if (set.value() == null && set.name().equals("all")) {
      settings.resetAll();
    } else if (set.local()) {
      settings.setLocal(set.name(), set.value());
    } else {
      settings.set(set.name(), set.value());
    }
    return StatementResult.ofCommand(set.value() == null ? "RESET" : "SET");
  }
}
