package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.sql.ParsedStatement.Ddl;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.regex.Pattern;
import org.h2.constraint.Constraint;
import org.h2.constraint.ConstraintReferential;
import org.h2.engine.DbObject;
import org.h2.engine.SessionLocal;
import org.h2.index.Index;
import org.h2.jdbc.JdbcConnection;
import org.h2.schema.Schema;
import org.h2.table.Column;
import org.h2.table.Table;
import org.h2.util.HasSQL;

/**
 * Runs an ALTER TABLE of several actions on a copy of its table first. H2 runs and commits the
 * actions one by one where PostgreSQL does all or none, and a dropped column or a changed type
 * cannot be brought back; so what is going to fail has to fail before anything is done.
 *
 * <p>The copy has the table's name, rows, constraints and indexes, in a schema of its own, so
 * errors read the same. Tables that refer to it are stood in for by empty ones. It costs the
 * copying of the rows, which H2 does itself once more for most such actions. The caller keeps
 * others from the table meanwhile. Full disks, and whatever else only the second run meets, are not
 * foreseen.
 */
public final class AlterRehearsal {

  /** Nobody else's: names beginning with pg_ are refused to users. */
  static final String SCHEMA = "pg_alter_rehearsal";

  private static final Pattern REVERSIBLE =
      Pattern.compile(
          "ADD .*|ALTER COLUMN \"(?:[^\"]|\"\")*\" (SET|DROP) NOT NULL", Pattern.DOTALL);
  private static final String ALTER = "ALTER TABLE ";
  private static final String ALTER_IF_EXISTS = "ALTER TABLE IF EXISTS ";
  private static final String DROP_INDEX = "DROP INDEX IF EXISTS ";
  private static final Object ONE_AT_A_TIME = new Object();

  private final Connection connection;
  private final Ddl ddl;
  private final QualifiedName copyName;

  private AlterRehearsal(Connection connection, Ddl ddl) {
    this.connection = connection;
    this.ddl = ddl;
    this.copyName = new QualifiedName(SCHEMA, ddl.target().name());
  }

  /** Whether an action before the last one is more than an addition that can be taken back. */
  public static boolean isIrreversible(Ddl ddl) {
    if (!hasSeveralActions(ddl)) {
      return false;
    }
    for (String statement : ddl.h2Statements().subList(0, ddl.h2Statements().size() - 1)) {
      String action = after(statement, ALTER_IF_EXISTS, DdlText.name(ddl.target()) + " ");
      if (action == null) {
        action = after(statement, ALTER, DdlText.name(ddl.target()) + " ");
      }
      if (action == null || !REVERSIBLE.matcher(action).matches()) {
        return true;
      }
    }
    return false;
  }

  /** Whether H2 needs several statements for it. */
  static boolean hasSeveralActions(Ddl ddl) {
    return ddl.kind() == Ddl.Kind.ALTER_TABLE && ddl.h2Statements().size() > 1;
  }

  /**
   * Runs the statement's actions on a copy that is gone afterwards; does nothing when there is no
   * such table.
   *
   * @param connection of a user who may make schemas, with no transaction open
   * @throws dev.millrace.model.PgException what the statement would fail with
   */
  public static void run(Connection connection, Ddl ddl) {
    synchronized (ONE_AT_A_TIME) {
      try {
        clear(connection);
        try {
          new AlterRehearsal(connection, ddl).run();
        } finally {
          if (!connection.getAutoCommit()) {
            connection.rollback(); // A failed statement keeps H2's lock on the metadata.
          }
          clear(connection);
        }
      } catch (SQLException e) {
        throw withoutSchema(H2Errors.translate(e), ddl);
      }
    }
  }

  /** Where an error names the schema of the copy, it means the table's own. */
  private static PgException withoutSchema(PgException error, Ddl ddl) {
    String message = error.getMessage();
    return message == null || !message.contains(SCHEMA)
        ? error
        : new PgException(
            error.sqlState(), message.replace(SCHEMA, ddl.target().schema()), error.getCause());
  }

  /** Removes what a rehearsal that was killed left behind. */
  public static void clear(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("DROP SCHEMA IF EXISTS " + SCHEMA + " CASCADE");
    }
    if (!connection.getAutoCommit()) {
      connection.commit();
    }
  }

  private void run() throws SQLException {
    SessionLocal session = (SessionLocal) connection.unwrap(JdbcConnection.class).getSession();
    Schema schema = session.getDatabase().findSchema(ddl.target().schema());
    Table table = schema == null ? null : schema.findTableOrView(session, ddl.target().name());
    if (table == null) {
      return;
    }
    execute("CREATE SCHEMA " + SCHEMA);
    execute(definitionOfCopy(table));
    Table copy = session.getDatabase().getSchema(SCHEMA).getTableOrView(session, copyName.name());
    copyRows(table);
    for (String statement : children(table, copy, session)) {
      execute(statement);
    }
    for (String statement : ddl.h2Statements()) {
      execute(onCopy(statement));
    }
  }

  /** The text names the table once, before its columns. */
  private String definitionOfCopy(Table table) {
    String text = table.getCreateSQL();
    String name = table.getSQL(HasSQL.DEFAULT_SQL_FLAGS);
    int at = text.indexOf(name);
    return text.substring(0, at) + DdlText.name(copyName) + text.substring(at + name.length());
  }

  private void copyRows(Table table) throws SQLException {
    StringJoiner columns = new StringJoiner(", ");
    for (Column column : table.getColumns()) {
      if (!column.isGenerated()) {
        columns.add(DdlText.name(column.getName()));
      }
    }
    execute(
        "INSERT INTO "
            + DdlText.name(copyName)
            + " ("
            + columns
            + ") OVERRIDING SYSTEM VALUE SELECT "
            + columns
            + " FROM "
            + DdlText.name(ddl.target()));
  }

  /** Keys and checks, then indexes, then foreign keys, which need keys. */
  private List<String> children(Table table, Table copy, SessionLocal session) throws SQLException {
    List<String> statements = new ArrayList<>();
    List<ConstraintReferential> foreignKeys = new ArrayList<>();
    for (DbObject child : table.getChildren()) {
      if (child instanceof ConstraintReferential foreignKey) {
        foreignKeys.add(foreignKey);
      } else if (child instanceof Constraint constraint) {
        statements.add(constraint.getCreateSQLForCopy(copy, quoted(constraint)));
      } else if (child instanceof Index index
          && index.getCreateSQL() != null
          && !index.getIndexType().getBelongsToConstraint()) {
        statements.add(index.getCreateSQLForCopy(copy, quoted(index)));
      }
    }
    for (ConstraintReferential foreignKey : foreignKeys) {
      Table referring =
          foreignKey.getTable() == table ? copy : standIn(foreignKey, foreignKeys, session);
      Table referred = foreignKey.getRefTable() == table ? copy : foreignKey.getRefTable();
      statements.add(
          foreignKey.getCreateSQLForCopy(referring, referred, quoted(foreignKey), false));
    }
    return statements;
  }

  private static String quoted(DbObject object) {
    return DdlText.name(new QualifiedName(SCHEMA, object.getName()));
  }

  /** An empty table with the columns of one that refers to the altered table. */
  private Table standIn(
      ConstraintReferential foreignKey, List<ConstraintReferential> all, SessionLocal session)
      throws SQLException {
    String name = copyName.name() + " referring " + all.indexOf(foreignKey);
    StringJoiner columns = new StringJoiner(", ");
    for (Column column : foreignKey.getReferencedColumns(foreignKey.getTable())) {
      columns.add(DdlText.name(column.getName()));
    }
    execute(
        "CREATE TABLE "
            + DdlText.name(new QualifiedName(SCHEMA, name))
            + " AS SELECT "
            + columns
            + " FROM "
            + foreignKey.getTable().getSQL(HasSQL.DEFAULT_SQL_FLAGS)
            + " WHERE FALSE");
    return session.getDatabase().getSchema(SCHEMA).getTableOrView(session, name);
  }

  private String onCopy(String statement) {
    String table = DdlText.name(ddl.target()) + " ";
    String action = after(statement, ALTER_IF_EXISTS, table);
    if (action == null) {
      action = after(statement, ALTER, table);
    }
    if (action != null) {
      return DdlText.alterTable(copyName, action);
    }
    String index = after(statement, DROP_INDEX, DdlText.name(ddl.target().schema()) + ".");
    if (index == null) {
      throw new IllegalStateException("part of an ALTER TABLE that is not about it: " + statement);
    }
    return DROP_INDEX + DdlText.name(SCHEMA) + "." + index;
  }

  /** What follows both beginnings, or null. */
  private static String after(String statement, String command, String name) {
    String start = command + name;
    return statement.startsWith(start) ? statement.substring(start.length()) : null;
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
