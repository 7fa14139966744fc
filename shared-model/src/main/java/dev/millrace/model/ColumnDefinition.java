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
 * @param userType null for PostgreSQL's own types
 */
public record ColumnDefinition(
    int attnum,
    String name,
    int typeOid,
    int typeModifier,
    boolean notNull,
    char identity,
    char generated,
    UserType userType) {

  /** A column of one of PostgreSQL's own types. */
  public ColumnDefinition(
      int attnum,
      String name,
      int typeOid,
      int typeModifier,
      boolean notNull,
      char identity,
      char generated) {
    this(attnum, name, typeOid, typeModifier, notNull, identity, generated, null);
  }

  /** The built-in type whose text form its values have. */
  public int valueOid() {
    return userType == null ? typeOid : userType.valueOid();
  }

  /** The modifier that goes with {@link #valueOid}. */
  public int valueModifier() {
    return userType == null ? typeModifier : userType.valueModifier();
  }

  /** Its type as format_type shows it. */
  public String formattedType() {
    return userType == null ? PgType.format(typeOid, typeModifier) : userType.shown();
  }

  public boolean isGenerated() {
    return generated != 0;
  }
}
