package dev.millrace.settings;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The values set in one place (a node or a session), with what its open transaction may still undo.
 * Reading is free of locks.
 */
final class SettingScope {

  private final Map<String, SettingValue> values = new ConcurrentHashMap<>();
  private final Map<String, SettingValue> local = new ConcurrentHashMap<>();

  /** What SET replaced in the open transaction; null stands for "was not set". */
  private final Map<String, SettingValue> before = new HashMap<>();

  /** The value set here, or null. */
  SettingValue get(String key) {
    SettingValue value = local.get(key);
    return value != null ? value : values.get(key);
  }

  /** Null removes the value. */
  void set(String key, SettingValue value) {
    put(values, key, value);
  }

  synchronized void setInTransaction(String key, SettingValue value) {
    if (!before.containsKey(key)) {
      before.put(key, values.get(key));
    }
    local.remove(key);
    put(values, key, value);
  }

  synchronized void setLocal(String key, SettingValue value) {
    put(local, key, value);
  }

  synchronized void transactionEnded(boolean committed) {
    local.clear();
    if (!committed) {
      before.forEach((key, value) -> put(values, key, value));
    }
    before.clear();
  }

  Set<String> keys() {
    return Set.copyOf(values.keySet());
  }

  private static void put(Map<String, SettingValue> map, String key, SettingValue valueOrNull) {
    if (valueOrNull == null) {
      map.remove(key);
    } else {
      map.put(key, valueOrNull);
    }
  }
}
