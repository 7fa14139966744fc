package dev.millrace.sql;

import java.util.Set;

/** The columns that every table of PostgreSQL has without declaring them. */
public final class SystemColumns {

  private static final Set<String> NAMES =
      Set.of("ctid", "xmin", "xmax", "cmin", "cmax", "tableoid");

  private SystemColumns() {}

  /** Whether a name that the table does not declare means a system column. */
  public static boolean isOne(String name) {
    return NAMES.contains(name);
  }
}
