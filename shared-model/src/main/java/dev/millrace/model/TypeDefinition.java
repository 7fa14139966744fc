package dev.millrace.model;

import java.util.List;

/**
 * An enum or a domain, as it is defined now.
 *
 * @param oid assigned once in its node, kept for life, never reused
 * @param labels of an enum in their order; empty for a domain
 * @param baseOid the type a domain is made from, 0 for an enum
 * @param baseModifier that type's modifier, -1 for none
 * @param notNull a domain that takes no NULL
 * @param use what columns of it say of their type
 */
public record TypeDefinition(
    int oid,
    QualifiedName name,
    List<Label> labels,
    int baseOid,
    int baseModifier,
    boolean notNull,
    UserType use) {

  /** One value of an enum (a row of pg_enum). */
  public record Label(int oid, String text) {}

  public TypeDefinition {
    labels = List.copyOf(labels);
  }

  public boolean isEnum() {
    return baseOid == 0;
  }
}
