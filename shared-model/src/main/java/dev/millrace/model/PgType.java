package dev.millrace.model;

import java.util.Collection;

/**
 * PostgreSQL's types as Millrace knows them: OID, name and typmod rules.
 *
 * <p>The registry also holds types that no table may use (xml, ranges ..): they have a name, so
 * that they can be refused by it, and {@link #h2Name} null. Types that H2 lacks or would change are
 * kept as text in PostgreSQL's own form ({@link #isText}).
 *
 * @param oid pg_type.oid
 * @param name pg_type.typname, such as {@code int4}
 * @param sqlName format_type's name without modifier, such as {@code integer}
 * @param h2Name the H2 type that stores it, without modifier; a domain of schema {@code
 *     pg_catalog_millrace} where H2 has no type that stands for this one alone; null when tables
 *     cannot hold it
 */
public record PgType(int oid, String name, String sqlName, String h2Name) {
  public static final int BOOL = 16;
  public static final int BYTEA = 17;
  public static final int NAME = 19;
  public static final int INT8 = 20;
  public static final int INT2 = 21;
  public static final int INT4 = 23;
  public static final int TEXT = 25;
  public static final int OID = 26;
  public static final int XID = 28;
  public static final int FLOAT4 = 700;
  public static final int FLOAT8 = 701;
  public static final int BPCHAR = 1042;
  public static final int VARCHAR = 1043;
  public static final int DATE = 1082;
  public static final int TIME = 1083;
  public static final int TIMESTAMP = 1114;
  public static final int TIMESTAMPTZ = 1184;
  public static final int TIMETZ = 1266;
  public static final int NUMERIC = 1700;
  public static final int UUID = 2950;
  public static final int PG_LSN = 3220;
  public static final int JSON = 114;
  public static final int JSONB = 3802;
  public static final int INTERVAL = 1186;
  public static final int BIT = 1560;
  public static final int VARBIT = 1562;
  public static final int INET = 869;
  public static final int CIDR = 650;
  public static final int MACADDR = 829;
  public static final int MACADDR8 = 774;

  /** The type of that OID, or null. */
  public static PgType byOid(int oid) {
    return PgTypeRegistry.byOid(oid);
  }

  /**
   * The type of that name or alias ({@code int}, {@code integer}, {@code int4}, {@code serial},
   * {@code int[]}; lower case, words separated by one space, without modifier), or null. The
   * one-byte type is {@code "char"} with the quotes, as in SQL.
   */
  public static PgType byName(String name) {
    return PgTypeRegistry.byName(name);
  }

  /** The element type of an array type, or null. */
  public static PgType elementOf(int oid) {
    return PgTypeRegistry.elementOf(oid);
  }

  /** The OID of the type's array type, 0 without one. */
  public int arrayOid() {
    return PgTypeRegistry.arrayOf(oid);
  }

  /**
   * Whether tables hold it as text in its canonical form ({@link TypeInput}): json, interval, inet
   * and their kin, and every array.
   */
  public boolean isText() {
    return PgTypeRegistry.isText(oid);
  }

  /** Every known type, by OID. */
  public static Collection<PgType> all() {
    return PgTypeRegistry.all();
  }

  /**
   * As format_type(oid, typmod): {@code character varying(20)}, {@code numeric(10,2)}, {@code
   * timestamp without time zone}; {@code ???} for an unknown OID.
   */
  public static String format(int oid, int typeModifier) {
    PgType type = byOid(oid);
    return type == null ? "???" : TypeModifier.format(type, typeModifier);
  }

  /** Whether a table column can have this type. */
  public boolean isSupported() {
    return h2Name != null;
  }

  /** pg_type.typlen: bytes of a fixed-length type, -1 otherwise. */
  public int length() {
    return PgTypeRegistry.length(this);
  }

  /** pg_type.typcategory: B, N, S, D, U, A or T. */
  public char category() {
    return PgTypeRegistry.category(this);
  }

  /**
   * The H2 column type that holds this type with that modifier, such as {@code CHARACTER
   * VARYING(20)} or {@code TIMESTAMP(6)}.
   *
   * @throws PgException 0A000 when tables cannot hold it
   */
  public String h2Type(int typeModifier) {
    if (h2Name == null) {
      throw unsupported();
    }
    return TypeModifier.h2Type(this, typeModifier);
  }

  /** The refusal of a type that comes later. */
  public PgException unsupported() {
    return new PgException(
        SqlState.FEATURE_NOT_SUPPORTED, "type " + sqlName + " is not supported yet");
  }
}
