package dev.millrace.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.PgType;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.model.TypeModifier;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Table definitions read from H2")
class H2SchemaTest {

  private static final QualifiedName T = new QualifiedName("public", "t");

  private H2Database database;
  private int lastOid = 16383;

  @BeforeEach
  void open() throws SQLException {
    database = new H2Database();
  }

  @AfterEach
  void close() throws SQLException {
    database.close();
  }

  private RelationDefinition read(QualifiedName table, RelationDefinition previous) {
    return read(table, previous, name -> name);
  }

  private RelationDefinition read(
      QualifiedName table, RelationDefinition previous, Function<String, String> renamed) {
    return H2Schema.read(database.admin(), table, previous, renamed, () -> ++lastOid);
  }

  @Test
  @DisplayName("every supported type comes back with the OID and modifier it was made from")
  void types() throws SQLException {
    StringBuilder ddl = new StringBuilder("CREATE TABLE t (id int PRIMARY KEY");
    List<int[]> declared = new java.util.ArrayList<>();
    for (PgType type : PgType.all()) {
      if (type.isSupported()) {
        declared.add(new int[] {type.oid(), TypeModifier.NONE});
      }
    }
    declared.add(new int[] {PgType.VARCHAR, TypeModifier.ofLength(20)});
    declared.add(new int[] {PgType.BPCHAR, TypeModifier.ofLength(5)});
    declared.add(new int[] {PgType.NUMERIC, TypeModifier.ofNumeric(10, 2)});
    declared.add(new int[] {PgType.NUMERIC, TypeModifier.ofNumeric(2, 4)});
    declared.add(new int[] {PgType.TIMESTAMP, 3});
    declared.add(new int[] {PgType.TIMETZ, 0});
    for (int i = 0; i < declared.size(); i++) {
      String h2Type = PgType.byOid(declared.get(i)[0]).h2Type(declared.get(i)[1]);
      ddl.append(", c").append(i).append(' ').append(h2Type);
    }
    database.run(ddl.append(')').toString());

    List<ColumnDefinition> columns = read(T, null).columns();
    for (int i = 0; i < declared.size(); i++) {
      ColumnDefinition column = columns.get(i + 1);
      assertThat(new int[] {column.typeOid(), column.typeModifier()})
          .as(PgType.format(declared.get(i)[0], declared.get(i)[1]))
          .isEqualTo(declared.get(i));
    }
  }

  @Test
  @DisplayName("identity, generated and invisible columns are told apart")
  void kinds() throws SQLException {
    database.run(
        "CREATE TABLE t (a int GENERATED ALWAYS AS IDENTITY, b int NOT NULL,"
            + " c int GENERATED ALWAYS AS (b + 1),"
            + " \"$rid\" bigint INVISIBLE DEFAULT 0, d int)",
        "CREATE TABLE s (a serial, \"Mixed \"\" x\" int)");
    assertThat(read(T, null).columns())
        .containsExactly(
            new ColumnDefinition(1, "a", PgType.INT4, -1, true, 'a', (char) 0),
            new ColumnDefinition(2, "b", PgType.INT4, -1, true, (char) 0, (char) 0),
            new ColumnDefinition(3, "c", PgType.INT4, -1, false, (char) 0, 's'),
            new ColumnDefinition(4, "d", PgType.INT4, -1, false, (char) 0, (char) 0));
    RelationDefinition serial = read(new QualifiedName("public", "s"), null);
    assertThat(serial.columns().get(0).identity()).isEqualTo('d');
    assertThat(serial.columns().get(1).name()).isEqualTo("Mixed \" x");
  }

  @Test
  @DisplayName("constraints own indexes of their name, foreign keys own none")
  void indexes() throws SQLException {
    database.run(
        "CREATE TABLE p (id int, CONSTRAINT p_pkey PRIMARY KEY (id))",
        "CREATE TABLE t (a int, b int NOT NULL, c int, CONSTRAINT t_pkey PRIMARY KEY (b, a),"
            + " CONSTRAINT t_c_key UNIQUE (c),"
            + " CONSTRAINT t_c_fkey FOREIGN KEY (a) REFERENCES p (id))",
        "CREATE INDEX t_c_idx ON t (c, a)",
        "CREATE UNIQUE INDEX t_u ON t (b)");
    RelationDefinition table = read(T, null);
    assertThat(table.oid()).isEqualTo(16384);
    assertThat(table.version()).isEqualTo(1);
    assertThat(table.indexes())
        .containsExactly(
            new IndexDefinition(16385, "t_pkey", true, true, List.of(2, 1)),
            new IndexDefinition(16386, "t_c_idx", false, false, List.of(3, 1)),
            new IndexDefinition(16387, "t_c_key", true, false, List.of(3)),
            new IndexDefinition(16388, "t_u", true, false, List.of(2)));
    assertThat(table.replicaIdentity()).isEqualTo(ReplicaIdentity.DEFAULT);
  }

  @Test
  @DisplayName("numbers live on through ALTER TABLE and renames")
  void nextVersion() throws SQLException {
    database.run(
        "CREATE TABLE t (a int, b int, c int, CONSTRAINT t_pkey PRIMARY KEY (a))",
        "CREATE UNIQUE INDEX t_b ON t (b)");
    RelationDefinition first = read(T, null);
    int identityOid = first.indexes().get(1).oid();
    RelationDefinition withIdentity =
        new RelationDefinition(
            first.oid(),
            first.version(),
            first.name(),
            first.columns(),
            first.indexes(),
            ReplicaIdentity.INDEX,
            identityOid);
    database.run(
        "ALTER TABLE t ALTER COLUMN c RENAME TO cc",
        "ALTER TABLE t ADD COLUMN d text",
        "ALTER INDEX t_b RENAME TO t_bb",
        "ALTER TABLE t DROP CONSTRAINT t_pkey",
        "ALTER TABLE t DROP COLUMN a");
    RelationDefinition second =
        read(T, withIdentity, name -> name.equals("c") ? "cc" : name.equals("t_b") ? "t_bb" : name);
    assertThat(second.oid()).isEqualTo(first.oid());
    assertThat(second.version()).isEqualTo(2);
    assertThat(second.columns().stream().map(ColumnDefinition::attnum)).containsExactly(2, 3, 4);
    assertThat(second.columns().stream().map(ColumnDefinition::name))
        .containsExactly("b", "cc", "d");
    assertThat(second.indexes())
        .containsExactly(new IndexDefinition(identityOid, "t_bb", true, false, List.of(2)));
    assertThat(second.identityIndex().name()).isEqualTo("t_bb");
  }

  @Test
  @DisplayName("an unknown table is null, an unsupported type is refused by name")
  void missingAndUnsupported() throws SQLException {
    assertThat(read(new QualifiedName("public", "nope"), null)).isNull();
    database.run("CREATE TABLE t (a int PRIMARY KEY, j json)");
    assertThatThrownBy(() -> read(T, null)).hasMessageContaining("column \"j\" has unsupported");
  }

  @Test
  @DisplayName("user tables are listed without views and internal schemas")
  void tables() throws SQLException {
    database.run(
        "CREATE SCHEMA sales",
        "CREATE SCHEMA millrace",
        "CREATE TABLE millrace.applied (xid int PRIMARY KEY)",
        "CREATE TABLE t (a int)",
        "CREATE TABLE sales.\"Or.der\" (a int)",
        "CREATE VIEW v AS SELECT * FROM t");
    assertThat(H2Schema.tables(database.admin()))
        .containsExactly(T, new QualifiedName("sales", "Or.der"));
  }

  @Test
  @DisplayName("tables of one name in two schemas are kept apart")
  void sameName() throws SQLException {
    database.run(
        "CREATE SCHEMA other",
        "CREATE TABLE t (a int, CONSTRAINT t_pkey PRIMARY KEY (a))",
        "CREATE TABLE other.t (x text, y int, CONSTRAINT t_pkey PRIMARY KEY (x))");
    RelationDefinition other = read(new QualifiedName("other", "t"), null);
    assertThat(other.columns()).hasSize(2);
    assertThat(other.primaryKey().attnums()).containsExactly(1);
  }
}
