package dev.millrace.subscriber.apply;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.Identifiers;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.model.SqlState;
import dev.millrace.pgoutput.Relation;
import dev.millrace.pgoutput.TupleData;
import dev.millrace.subscriber.conflict.RowText;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * How a published table maps to a local one: columns by name, and what finds a row.
 *
 * <p>Extra local columns are left to their defaults; a published column that the local table lacks,
 * or that is generated here, is an error, found when the table is opened.
 */
public final class TargetRelation {

  private final Relation remote;
  private final RelationDefinition local;

  /** Per remote column the local one. */
  private final ColumnDefinition[] columns;

  /** Remote columns that find a row, in index order; all of them when {@link #wholeRow}. */
  private final int[] searchKey;

  private final boolean wholeRow;
  private final boolean updatable;

  /**
   * @throws PgException 55000 naming all missing, or all generated, columns
   */
  TargetRelation(Relation remote, RelationDefinition local) {
    this.remote = remote;
    this.local = local;
    this.columns = mapColumns(remote, local);
    IndexDefinition index = identityOrPrimaryKey(local);
    boolean remoteIsFull = remote.replicaIdentity() == ReplicaIdentity.FULL;
    this.wholeRow = index == null;
    this.searchKey = index == null ? allColumns() : remoteColumns(index);
    this.updatable = index == null ? remoteIsFull : isSentAsKey(searchKey);
  }

  /** The published columns of the relation must all be here, and none of them computed. */
  static ColumnDefinition[] mapColumns(Relation remote, RelationDefinition local) {
    ColumnDefinition[] mapped = new ColumnDefinition[remote.columns().size()];
    List<String> missing = new ArrayList<>();
    List<String> generated = new ArrayList<>();
    for (int i = 0; i < mapped.length; i++) {
      String name = remote.columns().get(i).name();
      int at = local.columnIndex(name);
      if (at < 0) {
        missing.add(name);
      } else {
        mapped[i] = local.columns().get(at);
        if (mapped[i].isGenerated()) {
          generated.add(name);
        }
      }
    }
    refuse(local.name(), "is missing replicated column", missing);
    refuse(local.name(), "has incompatible generated column", generated);
    return mapped;
  }

  private static void refuse(QualifiedName table, String what, List<String> names) {
    if (!names.isEmpty()) {
      throw new PgException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "logical replication target relation \""
              + table
              + "\" "
              + what
              + (names.size() == 1 ? ": " : "s: ")
              + names.stream().map(name -> '"' + name + '"').collect(Collectors.joining(", ")));
    }
  }

  static PgException doesNotExist(QualifiedName table) {
    return new PgException(
        SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
        "logical replication target relation \"" + table + "\" does not exist");
  }

  private static IndexDefinition identityOrPrimaryKey(RelationDefinition local) {
    IndexDefinition identity = local.identityIndex();
    return identity != null ? identity : local.primaryKey();
  }

  private int[] allColumns() {
    int[] all = new int[columns.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = i;
    }
    return all;
  }

  /** Remote columns of a local index; -1 for one that is not replicated. */
  int[] remoteColumns(IndexDefinition index) {
    int[] key = new int[index.attnums().size()];
    for (int i = 0; i < key.length; i++) {
      key[i] = -1;
      for (int column = 0; column < columns.length; column++) {
        if (columns[column].attnum() == index.attnums().get(i)) {
          key[i] = column;
        }
      }
    }
    return key;
  }

  private boolean isSentAsKey(int[] key) {
    for (int column : key) {
      if (column < 0 || !remote.columns().get(column).key()) {
        return false;
      }
    }
    return true;
  }

  /**
   * @throws PgException 55000 when the rows of this table cannot be found
   */
  void requireUpdatable() {
    if (updatable) {
      return;
    }
    if (!wholeRow) {
      throw new PgException(
          SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
          "publisher did not send replica identity column expected by the logical replication"
              + " target relation \""
              + local.name()
              + "\"");
    }
    throw new PgException(
        SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
        "logical replication target relation \""
            + local.name()
            + "\" has neither REPLICA IDENTITY index nor PRIMARY KEY and published relation does"
            + " not have REPLICA IDENTITY FULL");
  }

  QualifiedName name() {
    return local.name();
  }

  RelationDefinition local() {
    return local;
  }

  /** Columns the publisher sends. */
  int columnCount() {
    return columns.length;
  }

  /** The local column that a remote one goes to. */
  ColumnDefinition column(int remoteColumn) {
    return columns[remoteColumn];
  }

  int[] searchKey() {
    return searchKey;
  }

  boolean isSearchKey(int remoteColumn) {
    for (int column : searchKey) {
      if (column == remoteColumn) {
        return true;
      }
    }
    return false;
  }

  /** Whether a row is found by comparing all columns, for want of a key. */
  boolean wholeRow() {
    return wholeRow;
  }

  /** A row as conflict reports show it. */
  String describeRow(TupleData row) {
    RowText values = new RowText();
    for (int i = 0; i < columns.length; i++) {
      values.add(row, i);
    }
    return values.toString();
  }

  /**
   * A row as the local table's errors show it: its values, or its known columns by name where
   * others are left to their defaults or as they are.
   */
  String describeLocalRow(TupleData row) {
    List<String> names = new ArrayList<>();
    RowText values = new RowText();
    for (ColumnDefinition column : local.columns()) {
      int remoteColumn = remoteColumn(column.name());
      if (remoteColumn >= 0 && !row.isUnchanged(remoteColumn)) {
        names.add(column.name());
        values.add(row, remoteColumn);
      }
    }
    return names.size() == local.columns().size()
        ? values.toString()
        : "(" + String.join(", ", names) + ") = " + values;
  }

  /** The remote column that goes to this local one; -1 for none. */
  int remoteColumn(String localName) {
    for (int i = 0; i < columns.length; i++) {
      if (columns[i].name().equals(localName)) {
        return i;
      }
    }
    return -1;
  }

  /** Columns of a row with their names: {@code (id)=(1)}. */
  String describeKey(int[] key, TupleData row) {
    StringBuilder names = new StringBuilder("(");
    RowText values = new RowText();
    for (int column : key) {
      names.append(names.length() == 1 ? "" : ", ").append(columns[column].name());
      values.add(row, column);
    }
    return names + ")=" + values;
  }

  /** What a change looks for: {@code (id)=(1)}, or {@code full (1, x)}. */
  String describeIdentity(TupleData row) {
    return wholeRow ? "full " + describeRow(row) : describeKey(searchKey, row);
  }

  /** The local table's name in SQL. */
  String sqlName() {
    return Identifiers.alwaysQuote(local.name().schema())
        + '.'
        + Identifiers.alwaysQuote(local.name().name());
  }

  /** The local name of a remote column in SQL. */
  String sqlName(int remoteColumn) {
    return Identifiers.alwaysQuote(columns[remoteColumn].name());
  }
}
