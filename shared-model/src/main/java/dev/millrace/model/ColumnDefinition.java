package dev.millrace.model;

/**
 * A column of one relation version.
 *
 * @param attnum PostgreSQL's attribute number: from 1, never reused after DROP COLUMN
 * @param typeOid OID of its type (pg_type.oid as in PostgreSQL)
 * @param typeModifier PostgreSQL's atttypmod, -1 for none
 * @param identity {@code 'a'} always, {@code 'd'} by default, {@code 0} none
 *     (pg_attribute.attidentity)
 * @param generated {@code 's'} stored, {@code 'v'} virtual, {@code 0} none
 *     (pg_attribute.attgenerated)
 */
public record ColumnDefinition(
    int attnum,
    String name,
    int typeOid,
    int typeModifier,
    boolean notNull,
    char identity,
    char generated) {

  public boolean isGenerated() {
    return generated != 0;
  }
}
