package dev.millrace.subscriber.apply;

import dev.millrace.model.ByteCursor;
import dev.millrace.model.PgException;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.model.SqlState;
import dev.millrace.pgoutput.Relation;
import dev.millrace.pgoutput.TupleData;
import dev.millrace.sql.H2Errors;
import dev.millrace.subscriber.target.FirstWrites;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Writes the rows of a COPY .. TO STDOUT in text format into a table, inside the caller's
 * transaction, by the same batches as the stream.
 *
 * <pre>
 *   a row is a line; fields are parted by a tab; \\N is NULL;
 *   \\b \\f \\n \\r \\t \\v, \\ and up to three octal or x and up to two hexadecimal digits stand for one byte;
 *   a backslash before anything else is dropped.
 * </pre>
 *
 * One thread.
 */
public final class TableCopy implements AutoCloseable {

  /** Kind byte and length before a value in a tuple. */
  private static final int VALUE_HEADER = 5;

  private static final int GREATEST_SHOWN = 100;

  private static final Set<String> CHECKED =
      Set.of(SqlState.NOT_NULL_VIOLATION, SqlState.CHECK_VIOLATION);

  /** A duplicate row in the copy is an ordinary error, not a conflict. */
  private static final ChangeBatch.RowConflicts PLAIN_ERRORS =
      new ChangeBatch.RowConflicts() {
        @Override
        public void missing(RowStatement statement, TupleData oldTuple, TupleData newTuple) {}

        @Override
        public PgException duplicate(
            RowStatement statement, TupleData oldTuple, TupleData newTuple, PgException error) {
          return error;
        }
      };

  private final TargetRelation relation;
  private final RelationStatements statements;
  private final ChangeBatch batch;
  private final ByteCursor cursor = new ByteCursor();
  private long rows;
  private long batchStart;

  /**
   * @param columns the published columns in the order of the copy
   * @throws PgException 55000 when the table lacks one of them or computes it itself
   */
  public TableCopy(
      Connection connection,
      FirstWrites firstWrites,
      RelationDefinition local,
      List<String> columns) {
    List<Relation.Column> remote = new ArrayList<>();
    columns.forEach(name -> remote.add(new Relation.Column(false, name, 0, -1)));
    this.relation =
        new TargetRelation(
            new Relation(
                0,
                local.oid(),
                local.name().schema(),
                local.name().name(),
                ReplicaIdentity.NOTHING,
                remote),
            local);
    this.statements = new RelationStatements(connection, relation);
    try {
      this.batch = new ChangeBatch(connection, new ErrorContext(""), PLAIN_ERRORS, firstWrites);
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }

  /**
   * Takes one CopyData payload: whole lines.
   *
   * @return how many rows it held
   * @throws PgException with the line in its context
   */
  public int write(byte[] buffer, int offset, int length) {
    int before = (int) rows;
    int end = offset + length;
    int at = offset;
    while (at < end) {
      int lineEnd = at;
      while (lineEnd < end && buffer[lineEnd] != '\n') {
        lineEnd++;
      }
      writeLine(buffer, at, lineEnd);
      at = lineEnd + 1;
    }
    return (int) rows - before;
  }

  private void writeLine(byte[] buffer, int offset, int end) {
    if (end - offset == 2 && buffer[offset] == '\\' && buffer[offset + 1] == '.') {
      return;
    }
    rows++;
    TupleData tuple;
    try {
      tuple = tuple(buffer, offset, end);
    } catch (PgException malformed) {
      String text = new String(buffer, offset, end - offset, StandardCharsets.UTF_8);
      throw malformed.withContext(line(rows) + ": \"" + cut(text) + '"');
    }
    try {
      long written = rows - 1;
      batch.add(statements.insert(), null, tuple);
      if (batch.isEmpty()) {
        batchStart = written + 1;
      }
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    } catch (PgException refused) {
      throw refusedRow(refused);
    }
  }

  /** Writes what is left. */
  public void finish() {
    try {
      batch.flush();
    } catch (PgException refused) {
      throw refusedRow(refused);
    }
  }

  /**
   * As PostgreSQL, which reads values, checks rows and fills indexes one after the other: a value
   * that is no value of its type is named by its column, a row that fails a check is shown, and of
   * one that fails later only the line is known.
   */
  private PgException refusedRow(PgException refused) {
    StringBuilder context = new StringBuilder(line(batchStart + batch.failedRow() + 1));
    TupleData row = batch.failedTuple();
    int column = refused.column() == null ? -1 : relation.remoteColumn(refused.column());
    if (row != null && refused.sqlState().startsWith("22") && column >= 0) {
      context.append(", column ").append(refused.column()).append(": \"");
      context.append(cut(String.valueOf(row.text(column)))).append('"');
    } else if (row != null && CHECKED.contains(refused.sqlState())) {
      context.append(": \"").append(cut(text(row))).append('"');
    }
    return refused.withContext(context.toString());
  }

  private String line(long row) {
    return "COPY " + relation.name().name() + ", line " + row;
  }

  /** The line that the row came from, except that it may have been escaped otherwise. */
  private static String text(TupleData row) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < row.columns(); i++) {
      String value = row.text(i);
      line.append(i == 0 ? "" : "\t");
      line.append(
          value == null
              ? "\\N"
              : value.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n"));
    }
    return line.toString();
  }

  private static String cut(String text) {
    return text.length() <= GREATEST_SHOWN ? text : text.substring(0, GREATEST_SHOWN) + "...";
  }

  /** The line as the tuple that a stream would bring. */
  private TupleData tuple(byte[] buffer, int offset, int end) {
    int columns = relation.columnCount();
    byte[] tuple = new byte[2 + columns * VALUE_HEADER + end - offset];
    tuple[0] = (byte) (columns >>> 8);
    tuple[1] = (byte) columns;
    int to = 2;
    int at = offset;
    for (int column = 0; column < columns; column++) {
      if (column > 0) {
        if (at >= end) {
          throw malformed("missing data for column \"" + relation.column(column).name() + "\"");
        }
        at++;
      }
      if (isNull(buffer, at, end)) {
        tuple[to++] = 'n';
        at += 2;
        continue;
      }
      int start = to + VALUE_HEADER;
      int valueEnd = start;
      while (at < end && buffer[at] != '\t') {
        byte b = buffer[at++];
        if (b == '\\' && at < end) {
          long escaped = unescape(buffer, at, end);
          b = (byte) escaped;
          at = (int) (escaped >>> 8);
        }
        tuple[valueEnd++] = b;
      }
      int length = valueEnd - start;
      tuple[to] = 't';
      tuple[to + 1] = (byte) (length >>> 24);
      tuple[to + 2] = (byte) (length >>> 16);
      tuple[to + 3] = (byte) (length >>> 8);
      tuple[to + 4] = (byte) length;
      to = valueEnd;
    }
    if (at < end) {
      throw malformed("extra data after last expected column");
    }
    return TupleData.read(cursor.wrap("copy row", tuple, 0, to), "row");
  }

  private static boolean isNull(byte[] buffer, int at, int end) {
    return at + 1 < end
        && buffer[at] == '\\'
        && buffer[at + 1] == 'N'
        && (at + 2 == end || buffer[at + 2] == '\t');
  }

  /** The byte that an escape stands for, and in the bits above it where reading goes on. */
  private static long unescape(byte[] buffer, int at, int end) {
    byte b = buffer[at++];
    switch (b) {
      case 'b':
        return pack('\b', at);
      case 'f':
        return pack('\f', at);
      case 'n':
        return pack('\n', at);
      case 'r':
        return pack('\r', at);
      case 't':
        return pack('\t', at);
      case 'v':
        return pack(0x0B, at);
      case 'x':
        return digits(buffer, at, Math.min(end, at + 2), 16, 0, b);
      default:
        return b >= '0' && b <= '7'
            ? digits(buffer, at, Math.min(end, at + 2), 8, b - '0', b)
            : pack(b, at);
    }
  }

  private static long digits(byte[] buffer, int at, int end, int radix, int value, byte alone) {
    int start = at;
    while (at < end && Character.digit(buffer[at], radix) >= 0) {
      value = value * radix + Character.digit(buffer[at], radix);
      at++;
    }
    return radix == 16 && at == start ? pack(alone, at) : pack(value, at);
  }

  private static long pack(int value, int at) {
    return (long) at << 8 | value & 0xFF;
  }

  private static PgException malformed(String message) {
    return new PgException(SqlState.BAD_COPY_FILE_FORMAT, message);
  }

  public long rows() {
    return rows;
  }

  @Override
  public void close() {
    try {
      batch.close();
      statements.close();
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
  }
}
