package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.PgType;
import dev.millrace.model.SqlState;
import dev.millrace.model.TypeModifier;
import java.sql.ResultSet;
import java.sql.SQLException;

/** PostgreSQL's type of a column of H2, from its row in INFORMATION_SCHEMA.COLUMNS. */
final class H2ColumnType {

  /** What H2 shows for a time without digits: PostgreSQL then has no modifier. */
  private static final int DEFAULT_FRACTION_DIGITS = 6;

  private H2ColumnType() {}

  static H2TypeNames.Declared of(ResultSet row) throws SQLException {
    String domain = row.getString("DOMAIN_NAME");
    if (domain != null && SystemCatalog.SCHEMA.equals(row.getString("DOMAIN_SCHEMA"))) {
      return ofDomain(domain);
    }
    String h2Name = row.getString("DATA_TYPE");
    int oid = H2TypeNames.oid(h2Name);
    PgType type = PgType.byOid(oid);
    if (type == null || !type.isSupported() || type.isText()) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "column \"" + row.getString("COLUMN_NAME") + "\" has unsupported type " + h2Name);
    }
    return declared(row, oid, h2Name);
  }

  /** The name of the type, with a modifier behind a colon where it has one. */
  static H2TypeNames.Declared ofDomain(String domain) {
    int colon = domain.indexOf(TypeModifier.DOMAIN_MODIFIER);
    String name = colon < 0 ? domain : domain.substring(0, colon);
    int modifier = colon < 0 ? TypeModifier.NONE : Integer.parseInt(domain.substring(colon + 1));
    return new H2TypeNames.Declared(PgType.byName(name).oid(), modifier);
  }

  static H2TypeNames.Declared declared(ResultSet row, int oid, String h2Name) throws SQLException {
    switch (oid) {
      case PgType.VARCHAR:
        long length = row.getLong("CHARACTER_MAXIMUM_LENGTH");
        return length >= H2TypeNames.UNLIMITED
            ? new H2TypeNames.Declared(PgType.TEXT, TypeModifier.NONE)
            : new H2TypeNames.Declared(oid, TypeModifier.ofLength((int) length));
      case PgType.BPCHAR:
        int characters = (int) row.getLong("CHARACTER_MAXIMUM_LENGTH");
        return new H2TypeNames.Declared(oid, TypeModifier.ofLength(characters));
      case PgType.NUMERIC:
        boolean floating = h2Name.equalsIgnoreCase("decfloat");
        return new H2TypeNames.Declared(
            oid,
            floating
                ? TypeModifier.NONE
                : TypeModifier.ofNumeric(
                    row.getInt("NUMERIC_PRECISION"), row.getInt("NUMERIC_SCALE")));
      case PgType.TIME:
      case PgType.TIMETZ:
      case PgType.TIMESTAMP:
      case PgType.TIMESTAMPTZ:
        int digits = row.getInt("DATETIME_PRECISION");
        return new H2TypeNames.Declared(
            oid, digits == DEFAULT_FRACTION_DIGITS ? TypeModifier.NONE : digits);
      default:
        return new H2TypeNames.Declared(oid, TypeModifier.NONE);
    }
  }
}
