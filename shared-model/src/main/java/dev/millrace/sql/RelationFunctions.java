package dev.millrace.sql;

import dev.millrace.model.Identifiers;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.RelationDefinition;
import dev.millrace.sql.SystemFunction.Parameter;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.Function;
import java.util.function.Supplier;

/** PostgreSQL's functions about relations by OID, answered from the catalogue. */
final class RelationFunctions {

  private final Supplier<RelationSource> relations;

  RelationFunctions(Supplier<RelationSource> relations) {
    this.relations = relations;
  }

  List<SystemFunction> all() {
    return List.of(
        ofRelation("pg_relation_is_publishable", "bool", relation -> true),
        ofRelation(
            "pg_table_is_visible", "bool", relation -> relation.name().schema().equals("public")),
        ofRelation("pg_get_replica_identity_index", "oid", RelationFunctions::identityIndex),
        byOid("pg_get_indexdef", "text", this::indexDefinition));
  }

  private static Object identityIndex(RelationDefinition relation) {
    IndexDefinition index = relation.identityIndex();
    return index == null ? null : Integer.toUnsignedLong(index.oid());
  }

  private Object indexDefinition(long oid) {
    for (RelationDefinition relation : relations.get().relations()) {
      for (IndexDefinition index : relation.indexes()) {
        if (Integer.toUnsignedLong(index.oid()) == oid) {
          return definition(relation, index);
        }
      }
    }
    return null;
  }

  private static String definition(RelationDefinition relation, IndexDefinition index) {
    StringJoiner columns = new StringJoiner(", ", "(", ")");
    for (int attnum : index.attnums()) {
      relation.columns().stream()
          .filter(column -> column.attnum() == attnum)
          .forEach(column -> columns.add(Identifiers.quote(column.name())));
    }
    return "CREATE "
        + (index.unique() ? "UNIQUE " : "")
        + "INDEX "
        + Identifiers.quote(index.name())
        + " ON "
        + relation.name().quoted()
        + " USING btree "
        + columns;
  }

  /** Null for an OID that is no table's. */
  private SystemFunction ofRelation(
      String name, String type, Function<RelationDefinition, Object> answer) {
    return byOid(
        name,
        type,
        oid -> {
          for (RelationDefinition relation : relations.get().relations()) {
            if (Integer.toUnsignedLong(relation.oid()) == oid) {
              return answer.apply(relation);
            }
          }
          return null;
        });
  }

  private static SystemFunction byOid(String name, String type, Function<Long, Object> answer) {
    Parameter oid = new Parameter("oid", "oid", true, null, false);
    return new SystemFunction(
        name,
        List.of(new ResultColumn(name, type)),
        true,
        List.of(oid),
        (caller, arguments) ->
            List.<Object[]>of(
                new Object[] {arguments[0] == null ? null : answer.apply((Long) arguments[0])}));
  }
}
