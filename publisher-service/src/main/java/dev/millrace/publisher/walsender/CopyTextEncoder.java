package dev.millrace.publisher.walsender;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.PgText;
import java.util.List;

/**
 * Rows in PostgreSQL's COPY text format: values separated by tabs, {@code \N} for null, a backslash
 * before what would be misread, a newline at the end. One thread.
 */
final class CopyTextEncoder {

  private static final byte[] ESCAPES = new byte[128];

  static {
    ESCAPES['\b'] = 'b';
    ESCAPES['\f'] = 'f';
    ESCAPES['\n'] = 'n';
    ESCAPES['\r'] = 'r';
    ESCAPES['\t'] = 't';
    ESCAPES[0x0B] = 'v';
    ESCAPES['\\'] = '\\';
  }

  private final int[] typeOids;
  private final int[] typeModifiers;
  private final ByteBuilder value = new ByteBuilder(256);

  CopyTextEncoder(List<ColumnDefinition> columns) {
    typeOids = columns.stream().mapToInt(ColumnDefinition::typeOid).toArray();
    typeModifiers = columns.stream().mapToInt(ColumnDefinition::typeModifier).toArray();
  }

  /** Appends the value of a column, with the tab before it when it is not the first. */
  void append(int column, Object columnValue, ByteBuilder out) {
    if (column > 0) {
      out.putByte('\t');
    }
    if (columnValue == null) {
      out.putByte('\\').putByte('N');
      return;
    }
    value.truncate(0);
    PgText.write(columnValue, typeOids[column], typeModifiers[column], value);
    escape(value.array(), value.size(), out);
  }

  void endRow(ByteBuilder out) {
    out.putByte('\n');
  }

  /** Bytes of UTF-8 beyond ASCII never need an escape. */
  static void escape(byte[] source, int length, ByteBuilder out) {
    int plainFrom = 0;
    for (int i = 0; i < length; i++) {
      byte b = source[i];
      byte escape = b >= 0 ? ESCAPES[b] : 0;
      if (escape != 0) {
        out.putBytes(source, plainFrom, i - plainFrom);
        out.putByte('\\').putByte(escape);
        plainFrom = i + 1;
      }
    }
    out.putBytes(source, plainFrom, length - plainFrom);
  }
}
