package dev.millrace.settings;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.settings.SettingDefinition.Context;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The values in force of one node (pg_settings), or of one session on top of its node's. Safe for
 * any thread. Changes of a node are written to {@code <data-dir>/millrace.auto.conf} and survive a
 * restart; the command line prevails over the file.
 */
public final class Settings {

  private final Map<String, SettingDefinition> definitions;
  private final Map<String, SettingValue> defaults;
  private final Settings node;
  private final AutoConfFile file;
  private final Map<String, String> saved = new TreeMap<>();
  private final SettingScope scope = new SettingScope();
  private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();

  /**
   * The settings with the values given at the start, by PostgreSQL's names and units; nothing is
   * kept on disk.
   *
   * @throws PgException 42704 unknown, 22023 bad value, 0A000 not built yet
   */
  public Settings(List<SettingDefinition> definitions, Map<String, String> given) {
    this(byName(definitions), null);
    given.forEach((name, value) -> start(name, value, SettingValue.COMMAND_LINE));
  }

  /** The settings of a node that keeps its changes in {@code dataDirectory}. */
  public Settings(
      List<SettingDefinition> definitions, Map<String, String> given, Path dataDirectory) {
    this(byName(definitions), new AutoConfFile(dataDirectory));
    saved.putAll(file.read());
    saved.forEach((name, value) -> start(name, value, SettingValue.FILE));
    given.forEach((name, value) -> start(name, value, SettingValue.COMMAND_LINE));
  }

  private Settings(Map<String, SettingDefinition> definitions, AutoConfFile file) {
    this.definitions = definitions;
    this.defaults = new ConcurrentHashMap<>();
    this.node = null;
    this.file = file;
  }

  /** A session's settings. */
  private Settings(Settings node) {
    this.definitions = node.definitions;
    this.defaults = node.defaults;
    this.node = node;
    this.file = null;
  }

  private static Map<String, SettingDefinition> byName(List<SettingDefinition> definitions) {
    Map<String, SettingDefinition> byName = new TreeMap<>();
    for (SettingDefinition definition : definitions) {
      byName.put(key(definition.name()), definition);
    }
    return byName;
  }

  private void start(String name, String value, String source) {
    SettingDefinition definition = definition(name);
    if (definition.context() == Context.INTERNAL) {
      throw cannotChange(definition, "");
    }
    scope.set(key(name), checked(definition, value, source));
  }

  private static SettingValue checked(SettingDefinition definition, String value, String source) {
    SettingValue checked = SettingValue.parse(definition, value, source);
    SettingTable.refuseLater(definition, checked);
    return checked;
  }

  /** The value as text without unit, in the definition's unit. */
  public String get(String name) {
    return value(key(name)).text();
  }

  /** The value as SHOW prints it, in a readable unit ({@code 64MB}). */
  public String show(String name) {
    SettingDefinition definition = definition(name);
    return value(key(name)).shown(definition);
  }

  public boolean getBoolean(String name) {
    return value(key(name)).text().equals("on");
  }

  public int getInt(String name) {
    return Math.toIntExact(value(key(name)).number());
  }

  /** A size in bytes; -1 stays -1. */
  public long getBytes(String name) {
    SettingValue value = value(key(name));
    return value.number() < 0 ? value.number() : value.number() * value.unitSize();
  }

  /** A duration in milliseconds; 0 and -1 stay what they are. */
  public long getMillis(String name) {
    SettingValue value = value(key(name));
    long unitMs = value.unitSize() / SettingUnit.MS.size();
    return value.number() < 0 ? value.number() : value.number() * unitMs;
  }

  /** pg_settings.source: {@code default}, {@code configuration file}, {@code command line} .. */
  public String source(String name) {
    return value(key(name)).source();
  }

  /** pg_settings.reset_val: what RESET in a session leads to. */
  public String resetValue(String name) {
    return node == null ? get(name) : node.get(name);
  }

  /** Whether a setting of that name, in any case, exists. */
  public boolean isKnown(String name) {
    return definitions.containsKey(key(name));
  }

  /**
   * Changes a setting: of a node for all, of a session for itself. Null resets it.
   *
   * @throws PgException 42704 unknown, 22023 bad value, 55P02 when it needs a restart or is not for
   *     sessions
   */
  public void set(String name, String value) {
    SettingDefinition definition = changeable(name);
    String source = node == null ? SettingValue.FILE : SettingValue.SESSION;
    SettingValue checked = value == null ? null : checked(definition, value, source);
    if (node == null) {
      save(key(name), value);
      scope.set(key(name), checked);
    } else {
      scope.setInTransaction(key(name), checked);
    }
    changed(definition);
  }

  /** SET LOCAL: until the transaction ends. Only on a session's settings. */
  public void setLocal(String name, String value) {
    SettingDefinition definition = changeable(name);
    String written = value == null ? definition.defaultValue() : value;
    scope.setLocal(key(name), checked(definition, written, SettingValue.SESSION));
    changed(definition);
  }

  /** Forgets SET LOCAL, and after a rollback SET too, as they are part of their transaction. */
  public void transactionEnded(boolean committed) {
    scope.transactionEnded(committed);
  }

  /** RESET ALL. */
  public void resetAll() {
    for (String key : scope.keys()) {
      if (definition(key).context() == Context.USER) {
        set(key, null);
      }
    }
  }

  /** Sets what only the server itself may, such as in_hot_standby or transaction_isolation. */
  public void report(String name, String value) {
    SettingDefinition definition = definition(name);
    scope.set(key(name), SettingValue.parse(definition, value, SettingValue.DEFAULT));
  }

  /** Called after a change with the setting's name. */
  public void onChange(Consumer<String> listener) {
    listeners.add(listener);
  }

  /**
   * A session's own view: {@link #set} there takes settings of context user only and changes
   * nothing else; what it does not set follows the node.
   */
  public Settings forSession() {
    return new Settings(node == null ? this : node);
  }

  /** All definitions, ordered by name whatever its case. */
  public List<SettingDefinition> definitions() {
    return List.copyOf(definitions.values());
  }

  /**
   * The definition of a setting.
   *
   * @throws PgException 42704 when there is none
   */
  public SettingDefinition definition(String name) {
    SettingDefinition definition = definitions.get(key(name));
    if (definition == null) {
      throw new PgException(
          SqlState.UNDEFINED_OBJECT, "unrecognized configuration parameter \"" + name + "\"");
    }
    return definition;
  }

  private SettingValue value(String key) {
    SettingValue value = scope.get(key);
    if (value != null) {
      return value;
    }
    return node != null ? node.value(key) : defaultValue(key);
  }

  private SettingValue defaultValue(String key) {
    SettingValue value = defaults.get(key);
    if (value == null) {
      SettingDefinition definition = definition(key);
      value = SettingValue.parse(definition, definition.defaultValue(), SettingValue.DEFAULT);
      defaults.put(key, value);
    }
    return value;
  }

  private SettingDefinition changeable(String name) {
    SettingDefinition definition = definition(name);
    switch (definition.context()) {
      case INTERNAL:
        throw cannotChange(definition, "");
      case POSTMASTER:
        throw cannotChange(definition, " without restarting the server");
      case SIGHUP:
        if (node != null) {
          throw cannotChange(definition, " now");
        }
        return definition;
      default:
        return definition;
    }
  }

  private static PgException cannotChange(SettingDefinition definition, String how) {
    return new PgException(
        SqlState.CANT_CHANGE_RUNTIME_PARAM,
        "parameter \"" + definition.name() + "\" cannot be changed" + how);
  }

  /** On disk first, then in force. */
  private synchronized void save(String key, String valueOrNull) {
    if (file == null) {
      return;
    }
    Map<String, String> next = new TreeMap<>(saved);
    if (valueOrNull == null) {
      next.remove(key);
    } else {
      next.put(key, valueOrNull);
    }
    file.write(next);
    saved.clear();
    saved.putAll(next);
  }

  private void changed(SettingDefinition definition) {
    listeners.forEach(listener -> listener.accept(definition.name()));
  }

  private static String key(String name) {
    return name.toLowerCase(Locale.ROOT);
  }
}
