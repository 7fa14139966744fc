package dev.millrace.subscriber.command;

import dev.millrace.model.Identifiers;
import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import dev.millrace.subscriber.receiver.PublisherConnection;
import dev.millrace.subscriber.tablesync.PublishedTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * What the SUBSCRIPTION commands ask a publisher; a walsender of its own, ended with the command.
 */
final class PublisherSession implements AutoCloseable {

  private final PublisherConnection connection;

  PublisherSession(PublisherConnection connection) {
    this.connection = connection;
  }

  /** Warns of publications that are not there; a subscription may name them all the same. */
  void checkPublications(List<String> publications, Consumer<Notice> notices) {
    List<String> missing = new ArrayList<>(publications);
    for (List<Object> row :
        connection
            .execute(
                "SELECT pubname FROM pg_publication WHERE pubname IN ("
                    + literals(publications)
                    + ")")
            .rows()) {
      missing.remove(String.valueOf(row.get(0)));
    }
    if (missing.isEmpty()) {
      return;
    }
    String names = missing.stream().map(name -> '"' + name + '"').collect(Collectors.joining(", "));
    notices.accept(
        new Notice(
            "WARNING",
            SqlState.UNDEFINED_OBJECT,
            missing.size() == 1
                ? "publication " + names + " does not exist on the publisher"
                : "publications " + names + " do not exist on the publisher",
            null,
            null));
  }

  /**
   * The tables of the publications, by name.
   *
   * @throws PgException 0A000 when publications list different columns of one table
   */
  Set<QualifiedName> tables(List<String> publications) {
    Map<QualifiedName, String> columns = new TreeMap<>();
    for (List<Object> row :
        connection
            .execute(
                "SELECT pubname, schemaname, tablename, attnames, rowfilter"
                    + " FROM pg_publication_tables WHERE pubname IN ("
                    + literals(publications)
                    + ")")
            .rows()) {
      QualifiedName table =
          new QualifiedName(String.valueOf(row.get(1)), String.valueOf(row.get(2)));
      String now = String.valueOf(row.get(3));
      String before = columns.putIfAbsent(table, now);
      if (before != null && !before.equals(now)) {
        throw PublishedTable.differentLists(table);
      }
    }
    return columns.keySet();
  }

  private static String literals(List<String> names) {
    return names.stream().map(Identifiers::literal).collect(Collectors.joining(", "));
  }

  boolean slotExists(String slotName) {
    return !connection
        .execute(
            "SELECT slot_name FROM pg_replication_slots WHERE slot_name = "
                + Identifiers.literal(slotName))
        .rows()
        .isEmpty();
  }

  void createSlot(String slotName) {
    connection.execute(
        "CREATE_REPLICATION_SLOT "
            + Identifiers.alwaysQuote(slotName)
            + " LOGICAL pgoutput (SNAPSHOT 'nothing')");
  }

  /** Waits for whoever uses the slot; 42704 when there is none. */
  void dropSlot(String slotName) {
    connection.execute("DROP_REPLICATION_SLOT " + Identifiers.alwaysQuote(slotName) + " WAIT");
  }

  /** True when there was one. */
  boolean dropSlotIfExists(String slotName) {
    try {
      dropSlot(slotName);
      return true;
    } catch (PgException e) {
      if (SqlState.UNDEFINED_OBJECT.equals(e.sqlState())) {
        return false;
      }
      throw e;
    }
  }

  @Override
  public void close() {
    connection.close();
  }
}
