package dev.millrace.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgType;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.settings.SettingTable;
import dev.millrace.settings.Settings;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What every session expects of the catalogue")
class SessionObjectsTest {

  private final Settings node = new Settings(SettingTable.definitions(), Map.of());
  private H2Database database;
  private SimpleQuerySession session;

  @BeforeEach
  void open() throws SQLException {
    database = new H2Database();
    AtomicInteger oid = new AtomicInteger(16384);
    database.run("CREATE TABLE tbl_1 (id int, name text, CONSTRAINT tbl_1_pkey PRIMARY KEY (id))");
    List<RelationDefinition> relations =
        List.of(
            H2Schema.read(
                database.admin(),
                new QualifiedName("public", "tbl_1"),
                null,
                name -> name,
                oid::incrementAndGet));
    RelationSource source =
        new RelationSource(relations, List.of(), Map.of(2200, "public"), 5, "testdb");
    SystemObjects shared = SessionObjects.of(node, () -> source);
    List<SystemView> views = new ArrayList<>(shared.views());
    views.addAll(RelationViews.of(() -> source));
    views.addAll(DatabaseViews.of(() -> source));
    SystemCatalog.install(database.admin(), views, shared.functions());
    Map<String, SystemFunction> functions =
        shared.functions().stream().collect(Collectors.toMap(SystemFunction::name, f -> f));
    java.sql.Connection connection = database.connect();
    connection.createStatement().execute("SET SCHEMA_SEARCH_PATH pg_catalog_millrace, public");
    session =
        new SimpleQuerySession(
            4711,
            new H2Backend(connection, SessionSettings.settings()),
            SqlOptions.PLAIN.withFunctions(functions::get),
            node.forSession());
  }

  @AfterEach
  void close() throws SQLException {
    session.close();
    database.close();
  }

  private List<List<Object>> run(String sql) throws Exception {
    try (AutoCloseable entered = SystemCatalog.enter(session)) {
      List<StatementResult> results = session.execute(sql, List.of()).results();
      return results.get(results.size() - 1).rows();
    }
  }

  private Object value(String sql) throws Exception {
    return run(sql).get(0).get(0);
  }

  @Test
  @DisplayName("a session sees its own settings in pg_settings and current_setting")
  void settings() throws Exception {
    assertThat(value("SELECT current_setting('lock_timeout')")).isEqualTo("0");
    run("SET lock_timeout = '2s'");
    assertThat(value("SELECT current_setting('lock_timeout')")).isEqualTo("2s");
    assertThat(run("SELECT setting, unit, source FROM pg_settings WHERE name = 'lock_timeout'"))
        .containsExactly(List.of("2000", "ms", "session"));
    assertThat(value("SELECT current_setting('nope', true)")).isNull();
    assertThatThrownBy(() -> run("SELECT current_setting('nope')"))
        .hasMessage("unrecognized configuration parameter \"nope\"");
    assertThat(node.getMillis("lock_timeout")).isZero();
  }

  @Test
  @DisplayName("set_config acts as SET, local as SET LOCAL, and answers the value")
  void setConfig() throws Exception {
    assertThat(value("SELECT set_config('lock_timeout', '3s', false)")).isEqualTo("3s");
    run("BEGIN");
    assertThat(value("SELECT set_config('lock_timeout', '4s', true)")).isEqualTo("4s");
    assertThat(value("SELECT current_setting('lock_timeout')")).isEqualTo("4s");
    run("COMMIT");
    assertThat(value("SELECT current_setting('lock_timeout')")).isEqualTo("3s");
    run("BEGIN");
    run("SELECT set_config('lock_timeout', '5s', false)");
    run("ROLLBACK");
    assertThat(value("SELECT current_setting('lock_timeout')")).isEqualTo("3s");
  }

  @Test
  @DisplayName("names, types and numbers come out as PostgreSQL prints them")
  void namesAndTypes() throws Exception {
    assertThat(value("SELECT version()").toString()).startsWith("PostgreSQL 18");
    assertThat(value("SELECT current_database()")).isEqualTo("testdb");
    assertThat(value("SELECT pg_backend_pid()")).isEqualTo(4711);
    assertThat(value("SELECT format_type(" + PgType.VARCHAR + ", 24)"))
        .isEqualTo("character varying(20)");
    assertThat(value("SELECT pg_typeof(1.5)")).isEqualTo("numeric");
    assertThat(value("SELECT pg_typeof(id) FROM (SELECT 7 AS id) x")).isEqualTo("integer");
    assertThat(value("SELECT pg_get_userbyid(10)")).isEqualTo("millrace");
    assertThat(value("SELECT quote_ident('Mixed Case')")).isEqualTo("\"Mixed Case\"");
    assertThat(value("SELECT quote_literal('it''s')")).isEqualTo("'it''s'");
    assertThat(value("SELECT pg_wal_lsn_diff('1/0', '0/FFFFFFF0')")).isEqualTo("16");
  }

  @Test
  @DisplayName("functions on relations know the catalogue's OIDs")
  void relations() throws Exception {
    assertThat(
            run(
                "SELECT c.relname, pg_get_indexdef(i.indexrelid)"
                    + " FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid"
                    + " WHERE pg_get_replica_identity_index(c.oid) = i.indexrelid"
                    + " AND pg_table_is_visible(c.oid)"))
        .containsExactly(
            List.of("tbl_1", "CREATE UNIQUE INDEX tbl_1_pkey ON public.tbl_1 USING btree (id)"));
  }

  @Test
  @DisplayName(
      "the seeds' join over pg_class, pg_namespace, pg_attribute and pg_type runs as printed")
  void catalogueJoin() throws Exception {
    assertThat(
            run(
                "SELECT n.nspname, c.relname, a.attname, t.typname, c.relreplident"
                    + " FROM pg_catalog.pg_class c"
                    + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                    + " JOIN pg_attribute a ON a.attrelid = c.oid"
                    + " JOIN pg_type t ON t.oid = a.atttypid"
                    + " WHERE c.relkind = 'r' ORDER BY a.attnum"))
        .containsExactly(
            List.of("public", "tbl_1", "id", "int4", "d"),
            List.of("public", "tbl_1", "name", "text", "d"));
  }
}
