package dev.millrace.settings;

import java.util.List;

/**
 * A known setting.
 *
 * @param unit {@code B}, {@code kB}, {@code MB}, {@code ms}, {@code s}, {@code min} or null
 * @param context {@code user} (per session), {@code sighup} (PATCH takes effect at once), {@code
 *     postmaster} (needs a restart), {@code internal} (read only)
 */
public record SettingDefinition(
    String name,
    Type type,
    String unit,
    String defaultValue,
    Context context,
    String description,
    Long min,
    Long max,
    List<String> enumValues) {
  public enum Type {
    BOOL,
    INTEGER,
    REAL,
    STRING,
    ENUM
  }

  public enum Context {
    USER,
    SIGHUP,
    POSTMASTER,
    INTERNAL
  }
}
