package dev.millrace.publisher.catalog;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.PgException;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.model.SqlState;
import dev.millrace.sql.ParsedStatement.AlterReplicaIdentity;

/** ALTER TABLE .. REPLICA IDENTITY. Stateless. */
public final class ReplicaIdentityCommand {

  private ReplicaIdentityCommand() {}

  /**
   * Puts the table's next version into the transaction if it changes; the caller holds the table.
   *
   * @throws PgException 42P01 unknown table, 42704 unknown index, 42809 an index that cannot
   *     identify rows
   */
  public static void execute(AlterReplicaIdentity command, CatalogTransaction transaction) {
    RelationDefinition relation = transaction.view().relation(command.table());
    if (relation == null) {
      throw new PgException(
          SqlState.UNDEFINED_TABLE, "relation \"" + command.table().name() + "\" does not exist");
    }
    int indexOid = 0;
    if (command.identity() == ReplicaIdentity.INDEX) {
      IndexDefinition index = find(command.indexName(), relation, transaction.view());
      check(index, relation);
      indexOid = index.oid();
    }
    if (relation.replicaIdentity() == command.identity()
        && relation.identityIndexOid() == indexOid) {
      return;
    }
    transaction.put(
        new RelationDefinition(
            relation.oid(),
            relation.version() + 1,
            relation.name(),
            relation.columns(),
            relation.indexes(),
            command.identity(),
            indexOid));
  }

  private static IndexDefinition find(
      String name, RelationDefinition relation, CatalogSnapshot catalog) {
    for (IndexDefinition index : relation.indexes()) {
      if (index.name().equals(name)) {
        return index;
      }
    }
    for (RelationDefinition other : catalog.relations().values()) {
      boolean sameSchema = other.name().schema().equals(relation.name().schema());
      if (sameSchema && other.indexes().stream().anyMatch(index -> index.name().equals(name))) {
        throw new PgException(
            SqlState.WRONG_OBJECT_TYPE,
            "\"" + name + "\" is not an index for table \"" + relation.name().name() + "\"");
      }
    }
    throw new PgException(
        SqlState.UNDEFINED_OBJECT,
        "index \"" + name + "\" for table \"" + relation.name().name() + "\" does not exist");
  }

  private static void check(IndexDefinition index, RelationDefinition relation) {
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
