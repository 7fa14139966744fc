package dev.millrace.sql;

import dev.millrace.settings.SettingTable;
import dev.millrace.settings.Settings;
import java.util.Map;

/** The settings of a session for tests. */
final class SessionSettings {

  private SessionSettings() {}

  static Settings settings() {
    return new Settings(SettingTable.definitions(), Map.of()).forSession();
  }
}
