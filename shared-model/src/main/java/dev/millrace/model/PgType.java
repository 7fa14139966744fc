package dev.millrace.model;

/**
 * PostgreSQL's types as Millrace knows them: OID, name and typmod rules. (The registry is filled by
 * the type work.)
 *
 * @param oid pg_type.oid
 * @param name pg_type.typname, such as {@code int4}
 * @param sqlName format_type's name without modifier, such as {@code integer}
 * @param h2Name the H2 type that stores it, without modifier
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

  /** The type of that OID, or null. */
  public static PgType byOid(int oid) {
    throw new UnsupportedOperationException("types");
  }

  /**
   * The type of that name or alias ({@code int}, {@code integer}, {@code int4}; lower case), or
   * null.
   */
  public static PgType byName(String name) {
    throw new UnsupportedOperationException("types");
  }

  /**
   * As format_type(oid, typmod): {@code character varying(20)}, {@code numeric(10,2)}, {@code
   * timestamp without time zone}.
   */
  public static String format(int oid, int typeModifier) {
    throw new UnsupportedOperationException("types");
  }
}
