package dev.millrace.publisher.decoding.vectors;

import java.util.Set;

/** Which captures a publisher with a PostgreSQL server as source is held to, and why not others. */
final class SourceVectors {

  private SourceVectors() {}

  private static final Set<String> NOT_RUN =
      Set.of(
          "06-types-latin1", // A database in another encoding.
          "06-types-session-settings"); // Here this publisher reads, with settings of its own.

  static boolean isRun(String name) {
    String only = System.getProperty("vector"); // For looking into one of them.
    if (only != null && !name.matches(only)) {
      return false;
    }
    boolean otherServer = name.matches(".*-pg1[5-7]") || name.equals("20-high-values");
    boolean partitionTree = name.startsWith("14-"); // The leaves are the source's tables here.
    boolean frames = name.startsWith("18-"); // Tested with the walsender.
    boolean refusedOptions = name.startsWith("19-"); // The same plugin as over the embedded one.
    return !otherServer && !partitionTree && !frames && !refusedOptions && !NOT_RUN.contains(name);
  }

  /**
   * The operations that the source publishes: PostgreSQL refuses UPDATE of a table without identity
   * as soon as any publication would publish it.
   */
  static String published(String name) {
    return name.equals("02-replica-identity-nothing")
        ? "(publish = 'insert, truncate')"
        : "(publish = 'insert, update, delete, truncate')";
  }

  /** PostgreSQL does not tell the origin of a message beside transactions. */
  static boolean isCompared(String name, VectorScenario.Run run) {
    return !name.equals("11-origin") || !"none".equals(run.options().get("origin"));
  }

  /**
   * Whether it was captured by a reader that took part in every step, not by one that came after.
   */
  static boolean isReadMeanwhile(String name) {
    return (name.startsWith("13-") || name.startsWith("12-")) && !name.endsWith("-sql");
  }
}
