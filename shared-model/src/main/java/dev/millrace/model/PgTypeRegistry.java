package dev.millrace.model;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The rows of pg_type that Millrace knows, and the names SQL has for them. */
final class PgTypeRegistry {

  private static final String DOMAINS = "\"pg_catalog_millrace\".";

  private static final Map<Integer, PgType> BY_OID = new TreeMap<>();
  private static final Map<String, PgType> BY_NAME = new HashMap<>();
  private static final Map<Integer, Integer> LENGTHS = new HashMap<>();
  private static final Map<Integer, Character> CATEGORIES = new HashMap<>();
  private static final Map<Integer, PgType> ELEMENTS = new HashMap<>();
  private static final Map<Integer, Integer> ARRAYS = new HashMap<>();
  private static final Set<Integer> TEXTS = new HashSet<>();

  static {
    fixed(PgType.BOOL, "bool", "boolean", "BOOLEAN", 1, 'B', 1000);
    varlena(PgType.BYTEA, "bytea", "bytea", "BINARY VARYING", 'U', 1001);
    fixed(18, "\"char\"", "\"char\"", null, 1, 'Z', 1002);
    fixed(PgType.NAME, "name", "name", DOMAINS + "\"name\"", 64, 'S', 1003);
    fixed(PgType.INT8, "int8", "bigint", "BIGINT", 8, 'N', 1016);
    fixed(PgType.INT2, "int2", "smallint", "SMALLINT", 2, 'N', 1005);
    fixed(PgType.INT4, "int4", "integer", "INTEGER", 4, 'N', 1007);
    varlena(PgType.TEXT, "text", "text", "CHARACTER VARYING", 'S', 1009);
    fixed(PgType.OID, "oid", "oid", DOMAINS + "\"oid\"", 4, 'N', 1028);
    fixed(PgType.XID, "xid", "xid", DOMAINS + "\"xid\"", 4, 'U', 1011);
    fixed(PgType.FLOAT4, "float4", "real", "REAL", 4, 'N', 1021);
    fixed(PgType.FLOAT8, "float8", "double precision", "DOUBLE PRECISION", 8, 'N', 1022);
    varlena(PgType.BPCHAR, "bpchar", "character", DOMAINS + "\"bpchar\"", 'S', 1014);
    varlena(PgType.VARCHAR, "varchar", "character varying", DOMAINS + "\"varchar\"", 'S', 1015);
    fixed(PgType.DATE, "date", "date", "DATE", 4, 'D', 1182);
    fixed(PgType.TIME, "time", "time without time zone", "TIME", 8, 'D', 1183);
    fixed(PgType.TIMESTAMP, "timestamp", "timestamp without time zone", "TIMESTAMP", 8, 'D', 1115);
    fixed(
        PgType.TIMESTAMPTZ,
        "timestamptz",
        "timestamp with time zone",
        "TIMESTAMP WITH TIME ZONE",
        8,
        'D',
        1185);
    fixed(PgType.TIMETZ, "timetz", "time with time zone", "TIME WITH TIME ZONE", 12, 'D', 1270);
    varlena(PgType.NUMERIC, "numeric", "numeric", "DECFLOAT", 'N', 1231);
    fixed(PgType.UUID, "uuid", "uuid", "UUID", 16, 'U', 2951);
    fixed(PgType.PG_LSN, "pg_lsn", "pg_lsn", DOMAINS + "\"pg_lsn\"", 8, 'U', 3221);

    text(PgType.JSON, "json", "json", -1, 'U', 199);
    text(PgType.JSONB, "jsonb", "jsonb", -1, 'U', 3807);
    text(PgType.INTERVAL, "interval", "interval", 16, 'T', 1187);
    text(PgType.BIT, "bit", "bit", -1, 'V', 1561);
    text(PgType.VARBIT, "varbit", "bit varying", -1, 'V', 1563);
    text(PgType.INET, "inet", "inet", -1, 'I', 1041);
    text(PgType.CIDR, "cidr", "cidr", -1, 'I', 651);
    text(PgType.MACADDR, "macaddr", "macaddr", 6, 'U', 1040);
    text(PgType.MACADDR8, "macaddr8", "macaddr8", 8, 'U', 775);

    varlena(142, "xml", "xml", null, 'U', 143);
    fixed(790, "money", "money", null, 8, 'N', 791);
    fixed(600, "point", "point", null, 16, 'G', 1017);
    fixed(601, "lseg", "lseg", null, 32, 'G', 1018);
    varlena(602, "path", "path", null, 'G', 1019);
    fixed(603, "box", "box", null, 32, 'G', 1020);
    varlena(604, "polygon", "polygon", null, 'G', 1027);
    fixed(628, "line", "line", null, 24, 'G', 629);
    fixed(718, "circle", "circle", null, 24, 'G', 719);
    varlena(3614, "tsvector", "tsvector", null, 'U', 3643);
    varlena(3615, "tsquery", "tsquery", null, 'U', 3645);
    varlena(3904, "int4range", "int4range", null, 'R', 3905);
    varlena(3926, "int8range", "int8range", null, 'R', 3927);
    varlena(3906, "numrange", "numrange", null, 'R', 3907);
    varlena(3908, "tsrange", "tsrange", null, 'R', 3909);
    varlena(3910, "tstzrange", "tstzrange", null, 'R', 3911);
    varlena(3912, "daterange", "daterange", null, 'R', 3913);
    varlena(22, "int2vector", "int2vector", null, 'A', 1006);
    varlena(30, "oidvector", "oidvector", null, 'A', 1013);
    fixed(5069, "xid8", "xid8", null, 8, 'U', 271);
    fixed(24, "regproc", "regproc", null, 4, 'N', 1008);
    fixed(2205, "regclass", "regclass", null, 4, 'N', 2210);
    fixed(2206, "regtype", "regtype", null, 4, 'N', 2211);
    varlena(194, "pg_node_tree", "pg_node_tree", null, 'Z', 0);
    fixed(2278, "void", "void", null, 4, 'P', 0);
    fixed(2249, "record", "record", null, -1, 'P', 2287);

    alias("int", PgType.INT4);
    alias("smallserial", PgType.INT2);
    alias("serial2", PgType.INT2);
    alias("serial", PgType.INT4);
    alias("serial4", PgType.INT4);
    alias("bigserial", PgType.INT8);
    alias("serial8", PgType.INT8);
    alias("float", PgType.FLOAT8);
    alias("decimal", PgType.NUMERIC);
    alias("dec", PgType.NUMERIC);
    alias("char", PgType.BPCHAR);
    alias("char varying", PgType.VARCHAR);
    alias("time with time zone", PgType.TIMETZ);
    alias("timestamp with time zone", PgType.TIMESTAMPTZ);
  }

  private PgTypeRegistry() {}

  static PgType byOid(int oid) {
    return BY_OID.get(oid);
  }

  static PgType byName(String name) {
    PgType type = BY_NAME.get(name);
    if (type != null || !name.endsWith("[]")) {
      return type;
    }
    String element = name;
    while (element.endsWith("[]")) {
      element = element.substring(0, element.length() - 2).stripTrailing();
    }
    PgType elementType = BY_NAME.get(element);
    return elementType == null ? null : BY_NAME.get("_" + bare(elementType.name()));
  }

  static Collection<PgType> all() {
    return Collections.unmodifiableCollection(BY_OID.values());
  }

  static int length(PgType type) {
    return LENGTHS.getOrDefault(type.oid(), -1);
  }

  static char category(PgType type) {
    return CATEGORIES.getOrDefault(type.oid(), 'U');
  }

  static PgType elementOf(int oid) {
    return ELEMENTS.get(oid);
  }

  static int arrayOf(int oid) {
    return ARRAYS.getOrDefault(oid, 0);
  }

  static boolean isText(int oid) {
    return TEXTS.contains(oid);
  }

  /** A type whose values are kept as text in a domain of its name. */
  private static void text(
      int oid, String name, String sqlName, int length, char category, int arrayOid) {
    TEXTS.add(oid);
    fixed(oid, name, sqlName, domain(name), length, category, arrayOid);
  }

  private static String domain(String name) {
    return DOMAINS + '"' + name + '"';
  }

  private static void varlena(
      int oid, String name, String sqlName, String h2Name, char category, int arrayOid) {
    fixed(oid, name, sqlName, h2Name, -1, category, arrayOid);
  }

  private static void fixed(
      int oid,
      String name,
      String sqlName,
      String h2Name,
      int length,
      char category,
      int arrayOid) {
    PgType type = new PgType(oid, bare(name), sqlName, h2Name);
    put(type, name, length, category);
    if (arrayOid != 0) {
      String arrayName = "_" + bare(name);
      String h2Array = h2Name == null ? null : domain(arrayName);
      put(new PgType(arrayOid, arrayName, sqlName + "[]", h2Array), arrayName, -1, 'A');
      ELEMENTS.put(arrayOid, type);
      ARRAYS.put(oid, arrayOid);
      if (h2Array != null) {
        TEXTS.add(arrayOid);
      }
    }
  }

  private static void put(PgType type, String sqlSpelling, int length, char category) {
    BY_OID.put(type.oid(), type);
    BY_NAME.put(sqlSpelling, type);
    BY_NAME.put(type.sqlName(), type);
    LENGTHS.put(type.oid(), length);
    CATEGORIES.put(type.oid(), category);
  }

  private static void alias(String name, int oid) {
    BY_NAME.put(name, BY_OID.get(oid));
  }

  /** {@code "char"} is spelled with quotes in SQL because bare {@code char} is bpchar. */
  private static String bare(String name) {
    return name.charAt(0) == '"' ? name.substring(1, name.length() - 1) : name;
  }
}
