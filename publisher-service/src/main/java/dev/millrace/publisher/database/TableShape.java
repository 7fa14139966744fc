package dev.millrace.publisher.database;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import java.util.ArrayList;
import java.util.List;

/**
 * One version of a table as capture and redo see it: where each column of the definition stands in
 * H2's row, what identifies a row, and what its old tuple must hold. Immutable.
 *
 * <p>All column numbers are positions in {@link RelationDefinition#columns()} unless said
 * otherwise.
 */
final class TableShape {

  /** The invisible column of tables without a primary key. */
  static final String RID = "$rid";

  private final RelationDefinition relation;
  private final int[] place;
  private final int ridPlace;
  private final int[] primaryKey;
  private final boolean[] identity;
  private final char oldTupleKind;
  private final boolean locator;
  private final int[][] uniqueKeys;
  private final boolean secondaryUnique;
  private final RowEncoder encoder;

  /**
   * @param heapColumns the table's columns in H2's order, invisible ones too
   */
  TableShape(RelationDefinition relation, List<String> heapColumns) {
    this.relation = relation;
    List<ColumnDefinition> columns = relation.columns();
    this.place = new int[columns.size()];
    for (int i = 0; i < place.length; i++) {
      place[i] = heapColumns.indexOf(columns.get(i).name());
    }
    this.ridPlace = heapColumns.indexOf(RID);
    IndexDefinition key = relation.primaryKey();
    this.primaryKey = key == null ? new int[0] : positions(relation, key);
    this.identity = new boolean[columns.size()];
    IndexDefinition identityIndex = relation.identityIndex();
    if (identityIndex != null) {
      for (int position : positions(relation, identityIndex)) {
        identity[position] = true;
      }
    }
    boolean full = relation.replicaIdentity() == ReplicaIdentity.FULL;
    this.oldTupleKind = full ? 'O' : identityIndex != null ? 'K' : 0;
    this.locator = key == null || identityIndex != key;
    List<int[]> unique = new ArrayList<>();
    for (IndexDefinition index : relation.indexes()) {
      if (index.unique()) {
        unique.add(positions(relation, index));
      }
    }
    this.uniqueKeys = unique.toArray(new int[0][]);
    this.secondaryUnique = unique.size() > (key == null ? 0 : 1);
    this.encoder = new RowEncoder(this);
  }

  private static int[] positions(RelationDefinition relation, IndexDefinition index) {
    int[] positions = new int[index.attnums().size()];
    for (int i = 0; i < positions.length; i++) {
      int attnum = index.attnums().get(i);
      for (int c = 0; c < relation.columns().size(); c++) {
        if (relation.columns().get(c).attnum() == attnum) {
          positions[i] = c;
        }
      }
    }
    return positions;
  }

  /** Writes its rows as log records. */
  RowEncoder encoder() {
    return encoder;
  }

  RelationDefinition relation() {
    return relation;
  }

  /** Where a column stands in H2's row. */
  int place(int column) {
    return place[column];
  }

  int columnCount() {
    return place.length;
  }

  /** Where {@code $rid} stands in H2's row; -1 without one. */
  int ridPlace() {
    return ridPlace;
  }

  /** The primary key's columns in index order; empty without one. */
  int[] primaryKey() {
    return primaryKey;
  }

  boolean isIdentity(int column) {
    return identity[column];
  }

  /** {@code 'K'}, {@code 'O'} or 0: what UPDATE and DELETE log of the old row. */
  char oldTupleKind() {
    return oldTupleKind;
  }

  /** Whether the other tuples may not find the row, so that the record needs a locator. */
  boolean needsLocator() {
    return locator;
  }

  /** Whether UPDATE and DELETE can be published. */
  boolean hasIdentity() {
    return oldTupleKind != 0;
  }

  /** The columns of every unique index, the primary key's among them. */
  int[][] uniqueKeys() {
    return uniqueKeys;
  }

  /** Whether there is a unique index besides the primary key's. */
  boolean hasSecondaryUnique() {
    return secondaryUnique;
  }
}
