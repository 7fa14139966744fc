package dev.millrace.publisher.decoding.plugins;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.pgoutput.Relation;
import dev.millrace.pgoutput.Type;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.decoding.Tuples;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One version of a table as it is published: columns that are not published are left out of its
 * Relation message and of its rows. A row of which nothing is left out is copied as it lies in the
 * log.
 */
final class PublishedRelation {

  private final CatalogSnapshot catalog;
  private final RelationDefinition definition;
  private final boolean[] published;
  private final int publishedCount;

  /**
   * @param catalog the one whose publications say so
   * @param published whether each column, by its position in the definition, is published
   */
  PublishedRelation(CatalogSnapshot catalog, RelationDefinition definition, boolean[] published) {
    this.catalog = catalog;
    this.definition = definition;
    this.published = published;
    int count = 0;
    for (boolean one : published) {
      count += one ? 1 : 0;
    }
    publishedCount = count;
  }

  /** Whether it holds for that version of the table by that catalogue. */
  boolean isOf(CatalogSnapshot byCatalog, RelationDefinition version) {
    return definition == version && catalog == byCatalog;
  }

  /** Whether its Relation message is the same. */
  boolean looksLike(PublishedRelation other) {
    return definition == other.definition && Arrays.equals(published, other.published)
        || message(0).equals(other.message(0));
  }

  /** The Type messages that go before the Relation message: one for each column that needs it. */
  List<Type> typeMessages(int streamXid) {
    List<Type> types = new ArrayList<>();
    for (int i = 0; i < published.length; i++) {
      ColumnDefinition column = definition.columns().get(i);
      if (published[i] && column.userType() != null) {
        QualifiedName name = column.userType().announced();
        String schema = name.schema().equals("pg_catalog") ? "" : name.schema();
        types.add(new Type(streamXid, column.typeOid(), schema, name.name()));
      }
    }
    return types;
  }

  /**
   * @param streamXid 0 outside of stream blocks
   */
  Relation message(int streamXid) {
    List<Relation.Column> columns = new ArrayList<>(publishedCount);
    for (int i = 0; i < published.length; i++) {
      if (published[i]) {
        ColumnDefinition column = definition.columns().get(i);
        columns.add(
            new Relation.Column(
                isKey(column), column.name(), column.typeOid(), column.typeModifier()));
      }
    }
    String schema = definition.name().schema();
    return new Relation(
        streamXid,
        definition.oid(),
        schema.equals("pg_catalog") ? "" : schema,
        definition.name().name(),
        definition.replicaIdentity(),
        columns);
  }

  private boolean isKey(ColumnDefinition column) {
    if (definition.replicaIdentity() == ReplicaIdentity.FULL) {
      return true;
    }
    IndexDefinition identity = definition.identityIndex();
    return identity != null && identity.attnums().contains(column.attnum());
  }

  /** Appends a row of the log to a message. */
  void writeTuple(ByteBuilder out, byte[] buffer, int offset, int length) {
    if (publishedCount == published.length) {
      out.putBytes(buffer, offset, length);
      return;
    }
    out.putShort(publishedCount);
    int at = offset + Tuples.FIRST_COLUMN;
    for (boolean wanted : published) {
      int end = Tuples.columnEnd(buffer, at);
      if (wanted) {
        out.putBytes(buffer, at, end - at);
      }
      at = end;
    }
  }

  /**
   * Appends a new row with all its values: those that it shows as unchanged are taken from the old
   * row as far as that holds them.
   */
  void writeWhole(ByteBuilder out, byte[] buffer, int newTuple, int oldTuple) {
    out.putShort(publishedCount);
    int at = newTuple + Tuples.FIRST_COLUMN;
    int old = oldTuple + Tuples.FIRST_COLUMN;
    for (boolean wanted : published) {
      int end = Tuples.columnEnd(buffer, at);
      int oldEnd = Tuples.columnEnd(buffer, old);
      if (wanted && buffer[at] == 'u' && buffer[old] == 't') {
        out.putBytes(buffer, old, oldEnd - old);
      } else if (wanted) {
        out.putBytes(buffer, at, end - at);
      }
      at = end;
      old = oldEnd;
    }
  }
}
