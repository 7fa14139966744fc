package dev.millrace.sql;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.PgType;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.model.TypeInput;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.h2.api.Trigger;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.h2.schema.Domain;
import org.h2.table.Column;
import org.h2.table.Table;

/**
 * Brings the values of columns whose types H2 lacks into the one form PostgreSQL prints, before a
 * row is stored: what a column of type json, interval, int[] .. is given is text at first, from
 * whatever expression it came. Made anew after each DDL statement, since it notes where the columns
 * stand.
 *
 * <p>Public with a public constructor because H2 creates it by name.
 */
public final class TypeTrigger implements Trigger {

  private static final String NAME_PREFIX = "millrace_types_";

  private final List<TextColumn> columns = new ArrayList<>();

  /** {@code type} is null for an enum, whose labels its domain has. */
  private record TextColumn(int place, H2TypeNames.Declared type, Domain labels) {}

  /** The name of the trigger on the table of that number. */
  public static String name(int relationOid) {
    return NAME_PREFIX + Integer.toUnsignedString(relationOid);
  }

  /** Whether an H2 trigger is one of these; ALTER TABLE puts the name of its copy before it. */
  public static boolean isOne(String triggerName) {
    return triggerName.contains(NAME_PREFIX);
  }

  /** Whether the table has a column of such a type. */
  public static boolean isNeeded(RelationDefinition relation) {
    for (ColumnDefinition column : relation.columns()) {
      boolean open = column.userType() != null && column.valueOid() == PgType.TEXT;
      if (open || PgType.byOid(column.valueOid()).isText()) {
        return true;
      }
    }
    return false;
  }

  /** The statement that puts the trigger on a table. */
  public static String createSql(QualifiedName table, int relationOid) {
    return "CREATE TRIGGER "
        + Identifiers.alwaysQuote(table.schema())
        + '.'
        + Identifiers.alwaysQuote(name(relationOid))
        + " BEFORE INSERT, UPDATE ON "
        + DdlText.name(table)
        + " FOR EACH ROW CALL "
        + Identifiers.literal(TypeTrigger.class.getName());
  }

  @Override
  public void init(
      Connection connection,
      String schemaName,
      String triggerName,
      String tableName,
      boolean before,
      int type)
      throws SQLException {
    SessionLocal session = (SessionLocal) connection.unwrap(JdbcConnection.class).getSession();
    Table table = session.getDatabase().getSchema(schemaName).getTableOrView(session, tableName);
    for (Column column : table.getColumns()) {
      Domain domain = column.getDomain();
      H2TypeNames.Declared declared = domain == null ? null : SystemRegistry.valueType(domain);
      Domain labels = domain == null ? null : enumOf(domain);
      if (labels != null) {
        columns.add(new TextColumn(column.getColumnId(), null, labels));
      } else if (declared != null && declared.isText()) {
        columns.add(new TextColumn(column.getColumnId(), declared, null));
      }
    }
  }

  /** The enum that a domain is or is made from, or null. */
  private static Domain enumOf(Domain domain) {
    for (Domain each = domain; each != null; each = each.getDomain()) {
      Domain parent = each.getDomain();
      if (parent != null
          && parent.getName().equals(SystemCatalog.ENUM)
          && parent.getSchema().getName().equals(SystemCatalog.SCHEMA)) {
        return each;
      }
    }
    return null;
  }

  @Override
  public void fire(Connection connection, Object[] oldRow, Object[] newRow) {
    if (newRow == null) {
      return;
    }
    for (TextColumn column : columns) {
      Object value = newRow[column.place()];
      boolean same = oldRow != null && Objects.equals(oldRow[column.place()], value);
      if (value != null && !same) {
        newRow[column.place()] = canonical(column, value.toString());
      }
    }
  }

  private static String canonical(TextColumn column, String value) {
    if (column.type() != null) {
      return TypeInput.canonical(value, column.type().oid(), column.type().typeModifier());
    }
    if (!TypeGrammar.labels(column.labels().getComment()).contains(value)) {
      throw new PgException(
          SqlState.INVALID_TEXT_REPRESENTATION,
          "invalid input value for enum "
              + Identifiers.quote(column.labels().getName())
              + ": \""
              + value
              + '"');
    }
    return value;
  }
}
