package dev.millrace.sql;

import java.util.ArrayList;
import java.util.List;

/** The columns of a view written as one line of {@code name type, ..}. */
public final class ViewColumns {

  private ViewColumns() {}

  public static List<ResultColumn> of(String definition) {
    List<ResultColumn> columns = new ArrayList<>();
    for (String column : definition.split(",")) {
      String[] words = column.trim().split(" +");
      columns.add(new ResultColumn(words[0], words[1]));
    }
    return columns;
  }
}
