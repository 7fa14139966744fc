package dev.millrace.sql;

import dev.millrace.model.BootstrapRole;
import dev.millrace.model.Identifiers;
import dev.millrace.model.Lsn;
import dev.millrace.model.PgException;
import dev.millrace.model.PgType;
import dev.millrace.model.SqlState;
import dev.millrace.model.TypeModifier;
import dev.millrace.settings.Settings;
import dev.millrace.sql.SystemFunction.Body;
import dev.millrace.sql.SystemFunction.Parameter;
import java.math.BigDecimal;
import java.util.List;
import java.util.function.Supplier;
import org.h2.value.Value;
import org.h2.value.ValueNull;

/**
 * PostgreSQL's functions about the session, its settings, and names and types: those that both
 * services need and H2 lacks or answers with its own OIDs.
 */
final class SessionFunctions {

  private final Settings node;
  private final Supplier<RelationSource> relations;

  SessionFunctions(Settings node, Supplier<RelationSource> relations) {
    this.node = node;
    this.relations = relations;
  }

  List<SystemFunction> all() {
    return List.of(
        function("version", "text", args -> "PostgreSQL 18.4 (Millrace on H2)"),
        withCaller("pg_backend_pid", "int4", (caller, args) -> caller == null ? 0 : caller.pid()),
        function("current_database", "name", args -> relations.get().databaseName()),
        withCaller(
            "current_setting",
            "text",
            (caller, args) -> currentSetting(caller, args),
            required("setting_name", "text"),
            optional("missing_ok", "bool", false)),
        withCaller(
            "set_config",
            "text",
            (caller, args) -> setConfig(caller, args),
            required("setting_name", "text"),
            required("new_value", "text"),
            required("is_local", "bool")),
        function("pg_typeof", "regtype", SessionFunctions::typeOf, required("value", "any")),
        function(
            "format_type",
            "text",
            SessionFunctions::formatType,
            required("type_oid", "oid"),
            required("typemod", "int4")),
        function(
            "pg_get_userbyid",
            "name",
            args -> roleName((Long) args[0]),
            required("role_oid", "oid")),
        function("quote_ident", "text", args -> quoteIdent(args[0]), required("value", "text")),
        function("quote_literal", "text", args -> literal(args[0]), required("value", "text")),
        function(
            "pg_wal_lsn_diff",
            "numeric",
            args -> difference(args[0], args[1]),
            required("lsn1", "pg_lsn"),
            required("lsn2", "pg_lsn")));
  }

  private Settings settingsOf(SqlSession caller) {
    return caller == null || caller.settings() == null ? node : caller.settings();
  }

  private Object currentSetting(SqlSession caller, Object[] args) {
    String name = (String) args[0];
    if (name == null) {
      return null;
    }
    Settings settings = settingsOf(caller);
    boolean missingOk = Boolean.TRUE.equals(args[1]);
    return missingOk && !settings.isKnown(name) ? null : settings.show(name);
  }

  /** Changes nothing beyond the session; the answer is the value in force afterwards. */
  private Object setConfig(SqlSession caller, Object[] args) {
    String name = (String) args[0];
    String value = (String) args[1];
    if (caller == null || caller.settings() == null || name == null) {
      throw new PgException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "set_config is supported in sessions, with a setting's name");
    }
    if (Boolean.TRUE.equals(args[2])) {
      caller.settings().setLocal(name, value);
    } else {
      caller.settings().set(name, value);
    }
    return caller.settings().show(name);
  }

  private static Object typeOf(Object[] args) {
    Value value = (Value) args[0];
    if (value == null || value == ValueNull.INSTANCE) {
      return "unknown";
    }
    int oid = H2TypeNames.oid(Value.getTypeName(value.getValueType()));
    int shown = oid == PgType.VARCHAR ? PgType.TEXT : oid;
    return shown == 0 ? "unknown" : PgType.byOid(shown).sqlName();
  }

  private static Object formatType(Object[] args) {
    if (args[0] == null) {
      return null;
    }
    int typeModifier = args[1] == null ? TypeModifier.NONE : (Integer) args[1];
    return PgType.format((int) (long) (Long) args[0], typeModifier);
  }

  private static Object roleName(Long oid) {
    if (oid == null) {
      return null;
    }
    return oid == BootstrapRole.OID ? BootstrapRole.NAME : "unknown (OID=" + oid + ")";
  }

  private static Object quoteIdent(Object text) {
    return text == null ? null : Identifiers.quote(text.toString());
  }

  private static Object literal(Object text) {
    return text == null ? null : Identifiers.literal(text.toString());
  }

  private static Object difference(Object first, Object second) {
    return first == null || second == null ? null : unsigned(first).subtract(unsigned(second));
  }

  private static BigDecimal unsigned(Object lsn) {
    return new BigDecimal(Long.toUnsignedString(Lsn.parse(lsn.toString()).value()));
  }

  private interface Simple {
    Object of(Object[] arguments);
  }

  private interface Called {
    Object of(SqlSession caller, Object[] arguments);
  }

  private static SystemFunction function(
      String name, String type, Simple simple, Parameter... parameters) {
    return withCaller(name, type, (caller, arguments) -> simple.of(arguments), parameters);
  }

  private static SystemFunction withCaller(
      String name, String type, Called called, Parameter... parameters) {
    Body body =
        (caller, arguments) -> List.<Object[]>of(new Object[] {called.of(caller, arguments)});
    List<ResultColumn> columns = List.of(new ResultColumn(name, type));
    return new SystemFunction(name, columns, true, List.of(parameters), body);
  }

  private static Parameter required(String name, String type) {
    return new Parameter(name, type, true, null, false);
  }

  private static Parameter optional(String name, String type, Object defaultValue) {
    return new Parameter(name, type, false, defaultValue, false);
  }
}
