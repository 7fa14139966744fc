package dev.millrace.subscriber.session;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.PgException;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.model.SqlState;
import dev.millrace.sql.ParsedStatement.AlterReplicaIdentity;

/** What ALTER TABLE .. REPLICA IDENTITY may ask for. */
final class ReplicaIdentityCheck {

  private ReplicaIdentityCheck() {}

  /**
   * @param relation null when there is no such table
   * @throws PgException 42P01 unknown table, 42704 unknown index, 42809 an index that cannot
   *     identify rows
   */
  static void check(AlterReplicaIdentity alter, RelationDefinition relation) {
    if (relation == null) {
      throw new PgException(
          SqlState.UNDEFINED_TABLE, "relation \"" + alter.table().name() + "\" does not exist");
    }
    if (alter.identity() != ReplicaIdentity.INDEX) {
      return;
    }
    IndexDefinition index =
        relation.indexes().stream()
            .filter(each -> each.name().equals(alter.indexName()))
            .findFirst()
            .orElseThrow(
                () ->
                    new PgException(
                        SqlState.UNDEFINED_OBJECT,
                        "index \""
                            + alter.indexName()
                            + "\" for table \""
                            + alter.table().name()
                            + "\" does not exist"));
    if (!index.unique()) {
      throw new PgException(
          SqlState.WRONG_OBJECT_TYPE,
          "cannot use non-unique index \"" + index.name() + "\" as replica identity");
    }
    for (ColumnDefinition column : relation.columns()) {
      if (index.attnums().contains(column.attnum()) && !column.notNull()) {
        throw new PgException(
            SqlState.WRONG_OBJECT_TYPE,
            "index \""
                + index.name()
                + "\" cannot be used as replica identity because column \""
                + column.name()
                + "\" is nullable");
      }
    }
  }
}
