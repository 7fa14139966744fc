package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.model.SqlState;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * One statement after splitting, classifying and rewriting for H2. Names in it are exact (folded or
 * unquoted), with the schema resolved through the search path ({@code public} where none is
 * written).
 */
public sealed interface ParsedStatement {

  /** The statement as the user wrote it, without the semicolon. */
  String original();

  /**
   * BEGIN / START TRANSACTION, COMMIT / END, ROLLBACK / ABORT, SAVEPOINT, ROLLBACK TO, RELEASE,
   * PREPARE TRANSACTION ..
   *
   * @param name the savepoint, the gid or the snapshot
   * @param isolation null where none is written
   * @param readOnly null where neither READ ONLY nor READ WRITE is written
   * @param chain COMMIT or ROLLBACK with AND CHAIN
   */
  record TransactionControl(
      String original,
      Kind kind,
      String name,
      TransactionBackend.IsolationLevel isolation,
      Boolean readOnly,
      boolean chain)
      implements ParsedStatement {
    public enum Kind {
      BEGIN,
      COMMIT,
      ROLLBACK,
      SAVEPOINT,
      ROLLBACK_TO,
      RELEASE,
      PREPARE_TRANSACTION,
      COMMIT_PREPARED,
      ROLLBACK_PREPARED,
      SET_TRANSACTION,
      SET_TRANSACTION_SNAPSHOT
    }
  }

  /** A statement that returns rows and changes nothing. */
  record Query(String original, String h2Sql) implements ParsedStatement {}

  /**
   * INSERT, UPDATE, DELETE or MERGE.
   *
   * @param mayInsertMany the INSERT may add more than one row (VALUES lists, SELECT, MERGE): the
   *     rerun of such statements applies
   * @param tag the command tag without the row count: {@code INSERT 0}, {@code UPDATE}, {@code
   *     DELETE}, {@code MERGE}
   * @param returning {@code h2Sql} is a query that changes the rows and answers them (RETURNING)
   * @param arbiter of ON CONFLICT where the statement became a MERGE, which another session's row
   *     can make fail; else null
   */
  record Dml(
      String original,
      String h2Sql,
      QualifiedName target,
      boolean inserts,
      boolean updates,
      boolean deletes,
      boolean mayInsertMany,
      String tag,
      boolean returning,
      ConflictArbiter arbiter)
      implements ParsedStatement {

    /** A statement without RETURNING and ON CONFLICT. */
    Dml(
        String original,
        String h2Sql,
        QualifiedName target,
        boolean inserts,
        boolean updates,
        boolean deletes,
        boolean mayInsertMany,
        String tag) {
      this(original, h2Sql, target, inserts, updates, deletes, mayInsertMany, tag, false, null);
    }

    /** The tag's first word, as error texts name the command. */
    public String verb() {
      return tag.startsWith("INSERT") ? "INSERT" : tag;
    }
  }

  record Truncate(
      String original, List<QualifiedName> tables, boolean cascade, boolean restartIdentity)
      implements ParsedStatement {}

  /**
   * A statement that changes H2's tables, indexes, schemas or types.
   *
   * @param tag its command tag, such as {@code CREATE TABLE}
   * @param h2Statements the H2 statements that do it, in order; empty when H2 needs not be told
   * @param targets the tables, indexes, schemas (as their own schema) or sequences concerned; an
   *     index statement names the index, CREATE INDEX the table
   * @param ifExists IF EXISTS / IF NOT EXISTS was written
   * @param renames old to new names of columns, of constraints and their indexes
   * @param newName the new name of the target after RENAME TO, else null
   * @param columnChanges the target's columns that go or change their type
   */
  record Ddl(
      String original,
      Kind kind,
      String tag,
      List<String> h2Statements,
      List<QualifiedName> targets,
      boolean ifExists,
      Map<String, String> renames,
      QualifiedName newName,
      List<ColumnChange> columnChanges)
      implements ParsedStatement {

    public Ddl(
        String original,
        Kind kind,
        String tag,
        List<String> h2Statements,
        List<QualifiedName> targets,
        boolean ifExists,
        Map<String, String> renames,
        QualifiedName newName) {
      this(original, kind, tag, h2Statements, targets, ifExists, renames, newName, List.of());
    }

    /**
     * A column that others may depend on.
     *
     * @param dropped it goes; else its type changes
     * @param cascade what depends on it may go too
     */
    public record ColumnChange(String column, boolean dropped, boolean cascade) {}

    /**
     * @throws PgException 0A000 for a new name of a schema that has enums or domains: H2 could not
     *     open its file again
     */
    public void refuseRenameOfTypes(Collection<QualifiedName> types) {
      boolean rename = tag.equals("ALTER SCHEMA") && newName != null;
      if (rename && types.stream().anyMatch(type -> type.schema().equals(target().schema()))) {
        throw new PgException(
            SqlState.FEATURE_NOT_SUPPORTED,
            "ALTER SCHEMA .. RENAME of a schema with enums or domains is not supported");
      }
    }

    /** The first of {@link #targets}; null where there is none. */
    public QualifiedName target() {
      return targets.isEmpty() ? null : targets.get(0);
    }

    public enum Kind {
      CREATE_TABLE,
      ALTER_TABLE,
      DROP_TABLE,
      CREATE_INDEX,
      DROP_INDEX,
      CREATE_SCHEMA,
      DROP_SCHEMA,
      CREATE_SEQUENCE,
      ALTER_SEQUENCE,
      DROP_SEQUENCE,
      CREATE_TYPE,
      ALTER_TYPE,
      DROP_TYPE,
      OTHER
    }
  }

  /**
   * CREATE TABLE .. AS: the empty table, then its rows as an ordinary INSERT, so that they are
   * captured. The session runs the two parts; backends see them one by one.
   *
   * @param fill null with WITH NO DATA
   */
  record CreateTableAs(String original, Ddl create, Dml fill) implements ParsedStatement {}

  /**
   * A statement that can be parsed only when those before it have run: it may name a type that they
   * create. Sessions parse it again; backends do not see it.
   */
  record Unparsed(String original) implements ParsedStatement {}

  /** VACUUM, ANALYZE, CHECKPOINT. */
  record Maintenance(String original, String tag) implements ParsedStatement {}

  /** ALTER TABLE .. REPLICA IDENTITY; {@code indexName} only with USING INDEX. */
  record AlterReplicaIdentity(
      String original, QualifiedName table, ReplicaIdentity identity, String indexName)
      implements ParsedStatement {}

  /** SHOW name, SHOW ALL ({@code name} = "all"). */
  record Show(String original, String name) implements ParsedStatement {}

  /** SET [SESSION | LOCAL] name = value, RESET name ({@code value} null). */
  record SetParameter(String original, String name, String value, boolean local)
      implements ParsedStatement {}

  /**
   * CREATE PUBLICATION. Options are raw and lower-cased; the catalogue checks their names and
   * values.
   */
  record CreatePublication(
      String original,
      String name,
      PublicationObjects objects,
      boolean allTables,
      Map<String, String> options)
      implements ParsedStatement {}

  record AlterPublication(
      String original,
      String name,
      Action action,
      PublicationObjects objects,
      Map<String, String> options,
      String newName)
      implements ParsedStatement {
    public enum Action {
      ADD,
      SET,
      DROP,
      SET_OPTIONS,
      RENAME,
      OWNER
    }
  }

  record DropPublication(String original, List<String> names, boolean ifExists)
      implements ParsedStatement {}

  /** FOR TABLE a (cols) WHERE (..), TABLES IN SCHEMA s. */
  record PublicationObjects(List<PublicationTable> tables, List<String> schemas) {}

  /**
   * {@code columns} null without a column list, {@code where} null without a row filter (else its
   * text without the brackets).
   */
  record PublicationTable(QualifiedName table, List<String> columns, String where) {}

  /**
   * CREATE SUBSCRIPTION. Options have raw values and lower-case names; a bare option has the value
   * "true"; NONE arrives as null under slot_name (and under lsn of ALTER SUBSCRIPTION .. SKIP).
   */
  record CreateSubscription(
      String original,
      String name,
      String connection,
      List<String> publications,
      Map<String, String> options)
      implements ParsedStatement {}

  record AlterSubscription(
      String original,
      String name,
      Action action,
      String connection,
      List<String> publications,
      Map<String, String> options,
      String newName)
      implements ParsedStatement {
    public enum Action {
      CONNECTION,
      SET_PUBLICATION,
      ADD_PUBLICATION,
      DROP_PUBLICATION,
      REFRESH_PUBLICATION,
      ENABLE,
      DISABLE,
      SET_OPTIONS,
      SKIP,
      RENAME,
      OWNER
    }
  }

  record DropSubscription(String original, String name, boolean ifExists)
      implements ParsedStatement {}
}
