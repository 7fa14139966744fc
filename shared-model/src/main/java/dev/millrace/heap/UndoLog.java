package dev.millrace.heap;

import java.util.Map;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.type.DataType;

/**
 * H2's log of one transaction's changes, whose records are taken back once.
 *
 * <p>A rollback restores a row while it removes the record from this map: the restoring is a part
 * of the removal. H2 tries the removal again when the root of the map has changed meanwhile, as
 * every store makes it do, and so restores the row twice. A session that waited for the row may
 * have changed it in between, and its change is lost, without any kill. Here the root is locked
 * before the removal begins, and nothing makes it begin again.
 */
final class UndoLog<K, V> extends MVMap<K, V> {

  private UndoLog(Map<String, Object> config, DataType<K> keyType, DataType<V> valueType) {
    super(config, keyType, valueType);
  }

  /** Works on the locked root and gives the lock back. */
  @Override
  public V operate(K key, V value, DecisionMaker<? super V> decisionMaker) {
    int attempt = 1;
    while (tryLock(getRoot(), attempt) == null) {
      attempt++;
    }
    return super.operate(key, value, decisionMaker);
  }

  /** Makes such logs where H2 makes its own. */
  static final class Builder<K, V> extends MVMap.Builder<K, V> {

    Builder(MVMap.Builder<K, V> original) {
      setKeyType(original.getKeyType());
      setValueType(original.getValueType());
    }

    @Override
    protected MVMap<K, V> create(Map<String, Object> config) {
      config.put("singleWriter", true);
      return new UndoLog<>(config, getKeyType(), getValueType());
    }
  }
}
