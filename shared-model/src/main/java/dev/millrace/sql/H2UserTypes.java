package dev.millrace.sql;

import dev.millrace.model.Identifiers;
import dev.millrace.model.PgType;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.TypeDefinition;
import dev.millrace.model.TypeModifier;
import dev.millrace.model.UserType;
import dev.millrace.model.UserTypes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the enums and domains out of H2: the domains of the users' schemas. One read; the
 * connection is the caller's.
 */
public final class H2UserTypes {

  /** Gives OIDs to what is new. */
  public interface Oids {
    int type(QualifiedName name);

    int label(QualifiedName type, String label);
  }

  /** For reads that only look which types there are. */
  public static final Oids NO_OIDS =
      new Oids() {
        @Override
        public int type(QualifiedName name) {
          return 0;
        }

        @Override
        public int label(QualifiedName type, String label) {
          return 0;
        }
      };

  private static final String DOMAINS =
      "SELECT D.DOMAIN_SCHEMA, D.DOMAIN_NAME AS NAME, D.DATA_TYPE, D.CHARACTER_MAXIMUM_LENGTH,"
          + " D.NUMERIC_PRECISION, D.NUMERIC_SCALE, D.DATETIME_PRECISION, D.PARENT_DOMAIN_SCHEMA,"
          + " D.PARENT_DOMAIN_NAME, D.REMARKS, EXISTS (SELECT 1 FROM"
          + " INFORMATION_SCHEMA.DOMAIN_CONSTRAINTS N JOIN INFORMATION_SCHEMA.CHECK_CONSTRAINTS C"
          + " ON C.CONSTRAINT_SCHEMA = N.CONSTRAINT_SCHEMA AND C.CONSTRAINT_NAME ="
          + " N.CONSTRAINT_NAME WHERE N.DOMAIN_SCHEMA = D.DOMAIN_SCHEMA AND N.DOMAIN_NAME ="
          + " D.DOMAIN_NAME AND (C.CHECK_CLAUSE = 'VALUE IS NOT NULL' OR"
          + " C.CHECK_CLAUSE LIKE '%, '''', VALUE IS NOT NULL)')) AS NOT_NULL"
          + " FROM INFORMATION_SCHEMA.DOMAINS D WHERE D.DOMAIN_SCHEMA NOT IN ('millrace', '"
          + SystemCatalog.SCHEMA
          + "')";

  private final UserTypes previous;
  private final Oids oids;
  private final Map<QualifiedName, Domain> domains = new LinkedHashMap<>();
  private final Map<QualifiedName, TypeDefinition> read = new HashMap<>();

  /** A row of DOMAINS; {@code declared} is null where a user's domain is the parent. */
  private record Domain(
      QualifiedName name,
      QualifiedName parent,
      boolean isEnum,
      H2TypeNames.Declared declared,
      String comment,
      boolean notNull) {}

  private H2UserTypes(UserTypes previous, Oids oids) {
    this.previous = previous;
    this.oids = oids;
  }

  /**
   * All types by name.
   *
   * @param previous the definitions before, whose OIDs live on by name
   */
  public static Map<QualifiedName, TypeDefinition> read(
      Connection connection, UserTypes previous, Oids oids) {
    H2UserTypes types = new H2UserTypes(previous, oids);
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(DOMAINS)) {
      while (rows.next()) {
        Domain domain = domain(rows);
        types.domains.put(domain.name(), domain);
      }
    } catch (SQLException e) {
      throw H2Errors.translate(e);
    }
    types.domains.keySet().forEach(types::define);
    return types.read;
  }

  private static Domain domain(ResultSet row) throws SQLException {
    QualifiedName name = new QualifiedName(row.getString("DOMAIN_SCHEMA"), row.getString("NAME"));
    String parentSchema = row.getString("PARENT_DOMAIN_SCHEMA");
    String parent = row.getString("PARENT_DOMAIN_NAME");
    boolean ours = SystemCatalog.SCHEMA.equals(parentSchema);
    boolean isEnum = ours && parent.equals(SystemCatalog.ENUM);
    H2TypeNames.Declared declared = null;
    if (parent == null) {
      String h2Name = row.getString("DATA_TYPE");
      declared = H2ColumnType.declared(row, H2TypeNames.oid(h2Name), h2Name);
    } else if (ours && !isEnum) {
      declared = H2ColumnType.ofDomain(parent);
    }
    return new Domain(
        name,
        parent == null || ours ? null : new QualifiedName(parentSchema, parent),
        isEnum,
        declared,
        row.getString("REMARKS"),
        row.getBoolean("NOT_NULL"));
  }

  private TypeDefinition define(QualifiedName name) {
    TypeDefinition known = read.get(name);
    if (known != null) {
      return known;
    }
    Domain domain = domains.get(name);
    TypeDefinition before = previous.find(name);
    int oid = before == null ? oids.type(name) : before.oid();
    TypeDefinition type = domain.isEnum() ? ofEnum(domain, oid, before) : ofDomain(domain, oid);
    read.put(name, type);
    return type;
  }

  private TypeDefinition ofEnum(Domain domain, int oid, TypeDefinition before) {
    List<TypeDefinition.Label> labels = new ArrayList<>();
    for (String text : TypeGrammar.labels(domain.comment())) {
      TypeDefinition.Label known = null;
      for (TypeDefinition.Label label : before == null ? labels : before.labels()) {
        known = label.text().equals(text) ? label : known;
      }
      labels.add(
          known == null ? new TypeDefinition.Label(oids.label(domain.name(), text), text) : known);
    }
    QualifiedName name = domain.name();
    UserType use = new UserType(shown(name), name, PgType.TEXT, TypeModifier.NONE);
    return new TypeDefinition(oid, name, labels, 0, TypeModifier.NONE, false, use);
  }

  private TypeDefinition ofDomain(Domain domain, int oid) {
    if (domain.parent() == null) {
      int base = domain.declared().oid();
      int modifier = domain.declared().typeModifier();
      UserType use =
          new UserType(
              shown(domain.name()),
              new QualifiedName("pg_catalog", PgType.byOid(base).name()),
              base,
              modifier);
      return new TypeDefinition(
          oid, domain.name(), List.of(), base, modifier, domain.notNull(), use);
    }
    TypeDefinition parent = define(domain.parent());
    UserType use =
        new UserType(
            shown(domain.name()),
            parent.use().announced(),
            parent.use().valueOid(),
            parent.use().valueModifier());
    return new TypeDefinition(
        oid, domain.name(), List.of(), parent.oid(), TypeModifier.NONE, domain.notNull(), use);
  }

  /** The schema is shown where the search path does not lead to it. */
  private static String shown(QualifiedName name) {
    return name.schema().equals("public") ? Identifiers.quote(name.name()) : name.quoted();
  }
}
