package dev.millrace.publisher.database;

import dev.millrace.model.Identifiers;
import dev.millrace.model.QualifiedName;
import java.sql.Connection;
import org.h2.api.Trigger;

/**
 * The row trigger of every captured table. Its name holds the table's OID, because H2 tells it a
 * table name that goes stale with ALTER TABLE; it asks the running session what that OID is now.
 *
 * <p>Public with a public constructor because H2 creates it by name.
 */
public final class CaptureTrigger implements Trigger {

  private static final String NAME_PREFIX = "millrace_capture_";

  private int relationOid;

  /** The name of the trigger on the table of that OID. */
  static String name(int relationOid) {
    return NAME_PREFIX + Integer.toUnsignedString(relationOid);
  }

  /** Whether an H2 trigger is one of ours; ALTER TABLE puts the name of its copy before it. */
  static boolean isCapture(String triggerName) {
    return triggerName.contains(NAME_PREFIX);
  }

  /** The statement that puts the trigger on a table. */
  static String createSql(QualifiedName table, int relationOid) {
    String schema = Identifiers.alwaysQuote(table.schema()) + '.';
    return "CREATE TRIGGER "
        + schema
        + Identifiers.alwaysQuote(name(relationOid))
        + " AFTER INSERT, UPDATE, DELETE ON "
        + schema
        + Identifiers.alwaysQuote(table.name())
        + " FOR EACH ROW CALL "
        + Identifiers.literal(CaptureTrigger.class.getName());
  }

  @Override
  public void init(
      Connection connection,
      String schemaName,
      String triggerName,
      String tableName,
      boolean before,
      int type) {
    int oidAt = triggerName.lastIndexOf(NAME_PREFIX) + NAME_PREFIX.length();
    relationOid = Integer.parseUnsignedInt(triggerName.substring(oidAt));
  }

  @Override
  public void fire(Connection connection, Object[] oldRow, Object[] newRow) {
    RowCapture.current().row(relationOid, oldRow, newRow);
  }
}
