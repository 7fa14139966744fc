package dev.millrace.sql;

import dev.millrace.model.Identifiers;
import dev.millrace.model.QualifiedName;

/** Names of relations in constants, looked up in the node's own catalogue views. */
final class SystemNames {

  private SystemNames() {}

  /** The H2 expression for {@code 'name'::regclass}: the relation's OID in pg_class. */
  static String oidOfRelation(String text) {
    TokenStream stream = TokenStream.of(text);
    QualifiedName name = stream.qualifiedName();
    stream.expectEnd();
    return "(SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE"
        + " c.relname = "
        + Identifiers.literal(name.name())
        + " AND n.nspname = "
        + Identifiers.literal(name.schema())
        + ")";
  }
}
