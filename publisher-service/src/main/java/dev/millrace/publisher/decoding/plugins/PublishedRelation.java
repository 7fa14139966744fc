package dev.millrace.publisher.decoding.plugins;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.pgoutput.Relation;
import dev.millrace.publisher.decoding.Tuples;
import java.util.ArrayList;
import java.util.List;

/**
 * One version of a table as it is published: virtual generated columns are left out of its Relation
 * message and of its rows, stored ones unless they are published. A row of which nothing is left
 * out is copied as it lies in the log.
 */
final class PublishedRelation {

  private final RelationDefinition definition;
  private final boolean withStored;
  private final boolean[] published;
  private final int publishedCount;

  /**
   * @param withStored whether stored generated columns are published
   */
  PublishedRelation(RelationDefinition definition, boolean withStored) {
    this.definition = definition;
    this.withStored = withStored;
    List<ColumnDefinition> columns = definition.columns();
    published = new boolean[columns.size()];
    int count = 0;
    for (int i = 0; i < published.length; i++) {
      char generated = columns.get(i).generated();
      published[i] = generated == 0 || generated == 's' && withStored;
      count += published[i] ? 1 : 0;
    }
    publishedCount = count;
  }

  static boolean hasGenerated(RelationDefinition definition) {
    return definition.columns().stream().anyMatch(ColumnDefinition::isGenerated);
  }

  boolean withStored() {
    return withStored;
  }

  RelationDefinition definition() {
    return definition;
  }

  Relation message() {
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
        0,
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
}
