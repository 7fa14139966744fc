package dev.millrace.sql;

import dev.millrace.model.Notice;
import dev.millrace.model.SqlState;
import dev.millrace.settings.SettingDefinition;
import dev.millrace.settings.Settings;
import dev.millrace.sql.ParsedStatement.SetParameter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** SHOW, SET and RESET on a session's settings; SET is part of its transaction. */
final class SettingCommands {

  private final Settings settings;

  SettingCommands(Settings settings) {
    this.settings = settings;
  }

  StatementResult show(String name, TransactionBlock block) {
    if (name.equals("all")) {
      return showAll(block);
    }
    List<Object> row = List.of(value(name, block));
    return new StatementResult("SHOW", List.of(new ResultColumn(name, "text")), List.of(row));
  }

  private String value(String name, TransactionBlock block) {
    switch (name) {
      case "transaction_isolation":
        return block.isolation().name().toLowerCase(Locale.ROOT).replace('_', ' ');
      case "transaction_read_only":
        return block.isReadOnly() ? "on" : "off";
      default:
        return settings.show(name);
    }
  }

  private StatementResult showAll(TransactionBlock block) {
    List<List<Object>> rows = new ArrayList<>();
    for (SettingDefinition definition : settings.definitions()) {
      rows.add(
          List.of(definition.name(), value(definition.name(), block), definition.description()));
    }
    List<ResultColumn> columns =
        List.of(
            new ResultColumn("name", "text"),
            new ResultColumn("setting", "text"),
            new ResultColumn("description", "text"));
    return new StatementResult("SHOW", columns, rows);
  }

  StatementResult set(SetParameter set, boolean inBlock, Consumer<Notice> notices) {
    boolean reset = set.original().regionMatches(true, 0, "reset", 0, 5);
    if (reset && set.name().equals("all")) {
      settings.resetAll();
    } else if (!set.local()) {
      settings.set(set.name(), set.value());
    } else if (inBlock) {
      settings.setLocal(set.name(), set.value());
    } else {
      notices.accept(
          TransactionBlock.warning(
              SqlState.NO_ACTIVE_SQL_TRANSACTION,
              "SET LOCAL can only be used in transaction blocks"));
    }
    return StatementResult.ofCommand(reset ? "RESET" : "SET");
  }

  /** Also after set_config, which comes as a query. */
  void transactionEnded(boolean committed) {
    settings.transactionEnded(committed);
  }
}
