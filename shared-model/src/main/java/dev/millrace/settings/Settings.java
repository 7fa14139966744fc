package dev.millrace.settings;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The values in force of one node (pg_settings). Safe for any thread. Changes are written to {@code
 * <data-dir>/millrace.auto.conf} and survive a restart; the command line prevails over the file.
 */
public final class Settings {

  /** The settings with the values given at the start, by PostgreSQL's names and units. */
  public Settings(List<SettingDefinition> definitions, Map<String, String> given) {
    throw new UnsupportedOperationException("settings");
  }

  /** The value as text without unit, in the definition's unit. */
  public String get(String name) {
    throw new UnsupportedOperationException("settings");
  }

  public boolean getBoolean(String name) {
    throw new UnsupportedOperationException("settings");
  }

  public int getInt(String name) {
    throw new UnsupportedOperationException("settings");
  }

  /** A size in bytes; -1 stays -1. */
  public long getBytes(String name) {
    throw new UnsupportedOperationException("settings");
  }

  /** A duration in milliseconds; 0 and -1 stay what they are. */
  public long getMillis(String name) {
    throw new UnsupportedOperationException("settings");
  }

  /**
   * Changes a setting.
   *
   * @throws dev.millrace.model.PgException 42704 unknown, 22023 bad value, 55P02 when it needs a
   *     restart
   */
  public void set(String name, String value) {
    throw new UnsupportedOperationException("settings");
  }

  /** Called after a change with the setting's name. */
  public void onChange(Consumer<String> listener) {
    throw new UnsupportedOperationException("settings");
  }

  /**
   * A session's own view: {@link #set} there takes settings of context user only and changes
   * nothing else.
   */
  public Settings forSession() {
    throw new UnsupportedOperationException("settings");
  }

  public List<SettingDefinition> definitions() {
    throw new UnsupportedOperationException("settings");
  }
}
