package dev.millrace.sql;

import dev.millrace.model.BootstrapRole;
import dev.millrace.model.PgType;
import dev.millrace.model.TypeDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** pg_database, pg_roles and pg_type, with PostgreSQL 18's columns. */
public final class DatabaseViews {

  private static final int UTF8 = 6;
  private static final long PG_CATALOG = 11;
  private static final long PG_DEFAULT_TABLESPACE = 1663;

  private static final String PG_DATABASE =
      "oid oid, datname name, datdba oid, encoding int4, datlocprovider \"char\","
          + " datistemplate bool, datallowconn bool, dathasloginevt bool, datconnlimit int4,"
          + " datfrozenxid xid, datminmxid xid, dattablespace oid, datcollate text, datctype text,"
          + " datlocale text, daticurules text, datcollversion text, datacl text";

  private static final String PG_ROLES =
      "rolname name, rolsuper bool, rolinherit bool, rolcreaterole bool, rolcreatedb bool,"
          + " rolcanlogin bool, rolreplication bool, rolconnlimit int4, rolpassword text,"
          + " rolvaliduntil timestamptz, rolbypassrls bool, rolconfig text, oid oid";

  private static final String PG_TYPE =
      "oid oid, typname name, typnamespace oid, typowner oid, typlen int2, typbyval bool,"
          + " typtype \"char\", typcategory \"char\", typispreferred bool, typisdefined bool,"
          + " typdelim \"char\", typrelid oid, typelem oid, typnotnull bool, typbasetype oid,"
          + " typtypmod int4, typndims int4, typcollation oid, typdefault text";

  private static final String PG_ENUM =
      "oid oid, enumtypid oid, enumsortorder float4, enumlabel name";

  private DatabaseViews() {}

  /** The views; {@code source} is asked once per use of a view. */
  public static List<SystemView> of(Supplier<RelationSource> source) {
    return List.of(
        new SystemView("pg_database", ViewColumns.of(PG_DATABASE), () -> database(source.get())),
        new SystemView("pg_enum", ViewColumns.of(PG_ENUM), () -> labels(source.get())),
        new SystemView("pg_roles", ViewColumns.of(PG_ROLES), DatabaseViews::roles),
        new SystemView("pg_type", ViewColumns.of(PG_TYPE), () -> types(source.get())));
  }

  private static List<Object[]> database(RelationSource source) {
    return List.<Object[]>of(
        new Object[] {
          Integer.toUnsignedLong(source.databaseOid()),
          source.databaseName(),
          (long) BootstrapRole.OID,
          UTF8,
          "c",
          false,
          true,
          false,
          -1,
          0L,
          0L,
          PG_DEFAULT_TABLESPACE,
          "C",
          "C",
          null,
          null,
          null,
          null
        });
  }

  private static List<Object[]> roles() {
    return List.<Object[]>of(
        new Object[] {
          BootstrapRole.NAME,
          true,
          true,
          true,
          true,
          true,
          true,
          -1,
          "********",
          null,
          true,
          null,
          (long) BootstrapRole.OID
        });
  }

  private static List<Object[]> labels(RelationSource source) {
    List<Object[]> rows = new ArrayList<>();
    for (TypeDefinition type : source.types()) {
      int order = 0;
      for (TypeDefinition.Label label : type.labels()) {
        rows.add(
            new Object[] {
              Integer.toUnsignedLong(label.oid()),
              Integer.toUnsignedLong(type.oid()),
              (float) ++order,
              label.text()
            });
      }
    }
    return rows;
  }

  private static Object[] userType(RelationSource source, TypeDefinition type) {
    PgType base = PgType.byOid(type.use().valueOid());
    int length = type.isEnum() ? 4 : base.length();
    boolean collatable = !type.isEnum() && base.category() == 'S';
    return new Object[] {
      Integer.toUnsignedLong(type.oid()),
      type.name().name(),
      source.schemaOid(type.name().schema()),
      (long) BootstrapRole.OID,
      length,
      length > 0 && length <= 8,
      type.isEnum() ? "e" : "d",
      type.isEnum() ? "E" : String.valueOf(base.category()),
      false,
      true,
      ",",
      0L,
      0L,
      type.notNull(),
      Integer.toUnsignedLong(type.baseOid()),
      type.baseModifier(),
      0,
      collatable ? 100L : 0L,
      null
    };
  }

  private static List<Object[]> types(RelationSource source) {
    List<Object[]> rows = new ArrayList<>();
    for (TypeDefinition type : source.types()) {
      rows.add(userType(source, type));
    }
    for (PgType type : PgType.all()) {
      int length = type.length();
      rows.add(
          new Object[] {
            Integer.toUnsignedLong(type.oid()),
            type.name(),
            PG_CATALOG,
            (long) BootstrapRole.OID,
            length,
            length > 0 && length <= 8,
            "b",
            String.valueOf(type.category()),
            false,
            true,
            ",",
            0L,
            PgType.elementOf(type.oid()) == null ? 0L : (long) PgType.elementOf(type.oid()).oid(),
            false,
            0L,
            -1,
            0,
            type.category() == 'S' ? 100L : 0L,
            null
          });
    }
    return rows;
  }
}
