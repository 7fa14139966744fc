package dev.millrace.subscriber.conflict;

import dev.millrace.pgoutput.TupleData;

/** Rows as conflict reports show them: {@code (1, y, null)}, each value cut to 64 bytes. */
public final class RowText {

  private static final int GREATEST_VALUE = 64;

  private final StringBuilder text = new StringBuilder("(");
  private boolean empty = true;

  /** Adds a column of a tuple. */
  public RowText add(TupleData tuple, int column) {
    return add(tuple.isUnchanged(column) ? "unchanged-toast-datum" : tuple.text(column));
  }

  /** Adds a value; null is shown as null. */
  public RowText add(String value) {
    text.append(empty ? "" : ", ").append(value == null ? "null" : cut(value));
    empty = false;
    return this;
  }

  private static String cut(String value) {
    return value.length() <= GREATEST_VALUE ? value : value.substring(0, GREATEST_VALUE) + "...";
  }

  @Override
  public String toString() {
    return text + ")";
  }
}
