package dev.millrace.publisher.decoding.plugins;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.Identifiers;
import dev.millrace.model.PgType;
import dev.millrace.model.RelationDefinition;
import dev.millrace.publisher.decoding.Tuples;

/**
 * Writes the rows of one table version as test_decoding does: {@code name[type]:value ..}. What
 * stands before each value is prepared once.
 */
final class RowText {

  private static final int BIT = 1560;
  private static final int VARBIT = 1562;

  private final RelationDefinition relation;
  private final String qualifiedName;
  private final String[] prefixes;
  private final int[] typeOids;

  RowText(RelationDefinition relation) {
    this.relation = relation;
    qualifiedName = relation.name().quoted();
    int count = relation.columns().size();
    prefixes = new String[count];
    typeOids = new int[count];
    for (int i = 0; i < count; i++) {
      ColumnDefinition column = relation.columns().get(i);
      typeOids[i] = column.typeOid();
      prefixes[i] = " " + Identifiers.quote(column.name()) + "[" + typeName(column) + "]:";
    }
  }

  /** The name without modifier, as format_type_be gives it. */
  private static String typeName(ColumnDefinition column) {
    if (column.userType() != null) {
      return column.userType().shown();
    }
    PgType type = PgType.byOid(column.typeOid());
    return type == null ? "???" : type.sqlName();
  }

  RelationDefinition relation() {
    return relation;
  }

  String qualifiedName() {
    return qualifiedName;
  }

  /**
   * @param skipNulls leave columns that are NULL out, as in old keys
   */
  void write(ByteBuilder out, byte[] buffer, int offset, boolean skipNulls) {
    int at = offset + Tuples.FIRST_COLUMN;
    int count = Math.min(Tuples.columns(buffer, offset), prefixes.length);
    for (int i = 0; i < count; i++) {
      byte kind = buffer[at];
      if (!(kind == 'n' && skipNulls)) {
        out.putUtf8(prefixes[i]);
        switch (kind) {
          case 'n' -> out.putUtf8("null");
          case 'u' -> out.putUtf8("unchanged-toast-datum");
          default -> literal(out, typeOids[i], buffer, at + 5, Tuples.valueLength(buffer, at));
        }
      }
      at = Tuples.columnEnd(buffer, at);
    }
  }

  private static void literal(ByteBuilder out, int typeOid, byte[] buffer, int offset, int length) {
    switch (typeOid) {
      case PgType.INT2,
      PgType.INT4,
      PgType.INT8,
      PgType.OID,
      PgType.FLOAT4,
      PgType.FLOAT8,
      PgType.NUMERIC:
        out.putBytes(buffer, offset, length);
        break;
      case BIT, VARBIT:
        out.putUtf8("B'").putBytes(buffer, offset, length).putByte('\'');
        break;
      case PgType.BOOL:
        out.putUtf8(buffer[offset] == 't' ? "true" : "false");
        break;
      default:
        quoted(out, buffer, offset, length);
        break;
    }
  }

  private static void quoted(ByteBuilder out, byte[] buffer, int offset, int length) {
    out.putByte('\'');
    int from = offset;
    for (int i = offset; i < offset + length; i++) {
      if (buffer[i] == '\'') {
        out.putBytes(buffer, from, i + 1 - from).putByte('\'');
        from = i + 1;
      }
    }
    out.putBytes(buffer, from, offset + length - from).putByte('\'');
  }
}
