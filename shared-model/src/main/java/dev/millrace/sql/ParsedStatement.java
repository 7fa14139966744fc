package dev.millrace.sql;

import dev.millrace.model.QualifiedName;
import dev.millrace.model.ReplicaIdentity;
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
   */
  record TransactionControl(
      String original,
      Kind kind,
      String name,
      TransactionBackend.IsolationLevel isolation,
      boolean readOnly)
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
      SET_TRANSACTION
    }
  }

  /** A statement that returns rows and changes nothing. */
  record Query(String original, String h2Sql) implements ParsedStatement {}

  /**
   * INSERT, UPDATE, DELETE or MERGE.
   *
   * @param mayInsertMany the INSERT may add more than one row (VALUES lists, SELECT, MERGE):
   *     storage.md 2's rerun applies
   */
  record Dml(
      String original,
      String h2Sql,
      QualifiedName target,
      boolean inserts,
      boolean updates,
      boolean deletes,
      boolean mayInsertMany,
      String tag)
      implements ParsedStatement {}

  record Truncate(
      String original, List<QualifiedName> tables, boolean cascade, boolean restartIdentity)
      implements ParsedStatement {}

  /**
   * A statement that changes H2's tables, indexes, schemas or types.
   *
   * @param tag its command tag, such as {@code CREATE TABLE}
   * @param h2Statements the H2 statements that do it, in order
   * @param target the table, index, schema or sequence concerned; null where there is none
   * @param ifExists IF EXISTS / IF NOT EXISTS was written
   */
  record Ddl(
      String original,
      Kind kind,
      String tag,
      List<String> h2Statements,
      QualifiedName target,
      boolean ifExists)
      implements ParsedStatement {
    public enum Kind {
      CREATE_TABLE,
      CREATE_TABLE_AS,
      ALTER_TABLE,
      DROP_TABLE,
      CREATE_INDEX,
      DROP_INDEX,
      CREATE_SCHEMA,
      DROP_SCHEMA,
      CREATE_SEQUENCE,
      ALTER_SEQUENCE,
      DROP_SEQUENCE,
      OTHER
    }
  }

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
   * Options are raw and lower-cased names; a bare option has the value "true"; NONE arrives as null
   * under slot_name.
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
