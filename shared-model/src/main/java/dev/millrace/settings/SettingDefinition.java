package dev.millrace.settings;

import java.util.List;
import java.util.Locale;

/**
 * A known setting.
 *
 * @param name PostgreSQL's spelling; looked up in any case
 * @param unit {@code B}, {@code kB}, {@code MB}, {@code ms}, {@code s}, {@code min} or null
 * @param defaultValue as pg_settings.boot_val shows it: in {@code unit}, without it
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
    ENUM;

    /** pg_settings.vartype. */
    public String pgName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public enum Context {
    USER,
    SIGHUP,
    POSTMASTER,
    INTERNAL;

    /** pg_settings.context. */
    public String pgName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  boolean isMemory() {
    return "B".equals(unit) || "kB".equals(unit) || "MB".equals(unit);
  }
}
