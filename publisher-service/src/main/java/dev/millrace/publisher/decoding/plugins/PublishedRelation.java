package dev.millrace.publisher.decoding.plugins;

import dev.millrace.model.BinaryForm;
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

  /** Kind byte and length of a value. */
  private static final int VALUE_HEADER = 1 + Integer.BYTES;

  private final CatalogSnapshot catalog;
  private final RelationDefinition definition;
  private final boolean[] published;
  private final int publishedCount;
  private final BinaryForm[] forms;

  /**
   * @param catalog the one whose publications say so
   * @param published whether each column, by its position in the definition, is published
   * @param binary values of types with a binary form are sent in it
   */
  PublishedRelation(
      CatalogSnapshot catalog, RelationDefinition definition, boolean[] published, boolean binary) {
    this.catalog = catalog;
    this.definition = definition;
    this.published = published;
    int count = 0;
    for (boolean one : published) {
      count += one ? 1 : 0;
    }
    publishedCount = count;
    forms = binary ? new BinaryForm[published.length] : null;
    for (int i = 0; binary && i < published.length; i++) {
      forms[i] = BinaryForm.of(definition.columns().get(i).valueOid());
    }
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
    if (forms == null && publishedCount == published.length) {
      out.putBytes(buffer, offset, length);
      return;
    }
    out.putShort(publishedCount);
    int at = offset + Tuples.FIRST_COLUMN;
    for (int i = 0; i < published.length; i++) {
      int end = Tuples.columnEnd(buffer, at);
      if (published[i]) {
        column(out, i, buffer, at, end);
      }
      at = end;
    }
  }

  /** Copies a column from its kind byte on, or writes its value in binary form. */
  private void column(ByteBuilder out, int column, byte[] buffer, int from, int to) {
    BinaryForm form = forms == null || buffer[from] != 't' ? null : forms[column];
    if (form == null) {
      out.putBytes(buffer, from, to - from);
      return;
    }
    int start = out.size();
    try {
      out.putByte('b').putInt(0);
      form.write(buffer, from + VALUE_HEADER, to - from - VALUE_HEADER, out);
      out.setInt(start + 1, out.size() - start - VALUE_HEADER);
    } catch (RuntimeException notOfTheType) {
      // A source may print a value in a way that is not known here; text is always right.
      out.truncate(start);
      out.putBytes(buffer, from, to - from);
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
    for (int i = 0; i < published.length; i++) {
      int end = Tuples.columnEnd(buffer, at);
      int oldEnd = Tuples.columnEnd(buffer, old);
      if (published[i] && buffer[at] == 'u' && buffer[old] == 't') {
        column(out, i, buffer, old, oldEnd);
      } else if (published[i]) {
        column(out, i, buffer, at, end);
      }
      at = end;
      old = oldEnd;
    }
  }
}
