package dev.millrace.heap;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.h2.mvstore.MVMap;
import org.h2.value.VersionedValue;

/**
 * Reads H2's undo logs: one map for each transaction, an operation's number to what it changed (map
 * and key) and the value before. A changed row carries the number of the operation that changed it.
 */
final class UndoRecords {

  /** The record that marks a transaction as committed names no map. */
  private static final int NO_MAP = -1;

  private static final String RECORD = "org.h2.mvstore.tx.Record";
  private static final VarHandle MAP_ID;
  private static final VarHandle KEY;

  static {
    try {
      Class<?> record = Class.forName(RECORD);
      MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(record, MethodHandles.lookup());
      MAP_ID = lookup.findVarHandle(record, "mapId", int.class);
      KEY = lookup.findVarHandle(record, "key", Object.class);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this version of H2 undoes in an unknown way", e);
    }
  }

  private UndoRecords() {}

  /** Whether a transaction's last undo record and its row do not agree. */
  static boolean isOneHalfDone(Collection<MVMap<?, ?>> maps) {
    Map<Integer, MVMap<?, ?>> byId = null;
    for (MVMap<?, ?> map : maps) {
      if (isUndoLog(map) && !map.isEmpty()) {
        if (byId == null) {
          byId = byId(maps);
        }
        if (isHalfDone(map, byId)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isUndoLog(MVMap<?, ?> map) {
    return map.getValueType().getClass().getName().startsWith(RECORD);
  }

  private static Map<Integer, MVMap<?, ?>> byId(Collection<MVMap<?, ?>> maps) {
    Map<Integer, MVMap<?, ?>> byId = new HashMap<>();
    for (MVMap<?, ?> map : maps) {
      byId.put(map.getId(), map);
    }
    return byId;
  }

  private static boolean isHalfDone(MVMap<?, ?> undoLog, Map<Integer, MVMap<?, ?>> maps) {
    Object number = undoLog.lastKey();
    Object record = undoLog.get(number);
    int mapId = (int) MAP_ID.get(record);
    MVMap<?, ?> changed = mapId == NO_MAP ? null : maps.get(mapId);
    if (changed == null || changed.isClosed()) {
      return false;
    }
    Object row = changed.get(KEY.get(record));
    return !(row instanceof VersionedValue<?> value) || value.getOperationId() != (Long) number;
  }
}
