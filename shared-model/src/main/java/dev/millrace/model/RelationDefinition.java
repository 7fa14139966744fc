package dev.millrace.model;

import java.util.List;

/**
 * One version of a table's definition. Immutable; a DDL statement makes a new version with the next
 * number.
 *
 * @param oid the table's OID: assigned once in its node, kept for life, never reused
 * @param version counts the definitions of this table from 1; change records name it
 * @param columns the live columns in attnum order, invisible ones (such as {@code $rid}) left out
 * @param indexes all indexes, the primary key's among them
 * @param identityIndexOid the index of REPLICA IDENTITY USING INDEX, 0 otherwise
 */
public record RelationDefinition(
    int oid,
    int version,
    QualifiedName name,
    List<ColumnDefinition> columns,
    List<IndexDefinition> indexes,
    ReplicaIdentity replicaIdentity,
    int identityIndexOid) {

  public RelationDefinition {
    columns = List.copyOf(columns);
    indexes = List.copyOf(indexes);
  }

  /** The primary key's index, or null. */
  public IndexDefinition primaryKey() {
    for (IndexDefinition index : indexes) {
      if (index.primary()) {
        return index;
      }
    }
    return null;
  }

  /**
   * The index that identifies rows under DEFAULT and USING INDEX; null under FULL, NOTHING and
   * where it is missing.
   */
  public IndexDefinition identityIndex() {
    switch (replicaIdentity) {
      case DEFAULT:
        return primaryKey();
      case INDEX:
        for (IndexDefinition index : indexes) {
          if (index.oid() == identityIndexOid) {
            return index;
          }
        }
        return null;
      default:
        return null;
    }
  }

  /** Position in {@link #columns()} of the column of that exact name, or -1. */
  public int columnIndex(String columnName) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).name().equals(columnName)) {
        return i;
      }
    }
    return -1;
  }
}
