package dev.millrace.publisher.decoding.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A table of the random transactions: what it is called, which columns it has at the moment, and
 * random statements about it. Each has the columns {@code id}, {@code n} and {@code v}; the further
 * ones come and go.
 */
final class RandomTable {

  /** Types of the further columns, and values for them. */
  enum Type {
    INTEGER("int", "7", "-1", "2147483647"),
    BIGINT("bigint", "9223372036854775807", "0"),
    TEXT("text", "'x'", "'it''s'", "''", "'é'"),
    VARCHAR("varchar(5)", "'abc'", "'12345'"),
    BOOLEAN("boolean", "true", "false"),
    NUMERIC("numeric(8,3)", "1.5", "-12345.678", "0"),
    FLOAT8("double precision", "0.1", "1e100", "-5"),
    REAL("real", "0.1", "-3.25"),
    DATE("date", "'2024-02-29'", "'1999-12-31'"),
    TIMESTAMP("timestamp", "'2024-02-29 12:34:56.789'", "'1970-01-01'"),
    TIMESTAMPTZ("timestamptz", "'2024-02-29 12:34:56.5+02'", "'2000-01-01 00:00:00+00'"),
    BYTEA("bytea", "'\\x00ff'", "'\\x'"),
    UUID("uuid", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"),
    JSONB("jsonb", "'{\"b\": [1, 2], \"a\": null}'", "'\"x\"'"),
    INTEGERS("int[]", "'{1,2,NULL}'", "'{}'"),
    INTERVAL("interval", "'1 day 02:03:04'", "'3 mons'");

    final String sql;
    private final String[] values;

    Type(String sql, String... values) {
      this.sql = sql;
      this.values = values;
    }

    String value(Random random) {
      return random.nextInt(6) == 0 ? "NULL" : given(random);
    }

    String given(Random random) {
      return values[random.nextInt(values.length)];
    }
  }

  /** A further column. */
  record Column(String name, Type type) {}

  private static final String[] TEXTS = {"a", "ab", "b", "it's", "é\\x", ""};

  private final String definition;
  private final Random random;
  private final List<Column> extra = new ArrayList<>();
  private String name;

  RandomTable(String name, String definition, Random random, Column... extra) {
    this.name = name;
    this.definition = definition;
    this.random = random;
    this.extra.addAll(List.of(extra));
  }

  String name() {
    return name;
  }

  void name(String now) {
    name = now;
  }

  List<Column> extra() {
    return extra;
  }

  String columns() {
    StringBuilder columns = new StringBuilder("id, n, v");
    extra.forEach(column -> columns.append(", ").append(column.name));
    return columns.toString();
  }

  String create() {
    StringBuilder sql = new StringBuilder("CREATE TABLE " + name + " (" + definition);
    extra.forEach(column -> sql.append(", ").append(column.name).append(' ' + column.type.sql));
    return sql.append(")").toString();
  }

  String insert(int session, int rows) {
    List<Column> given = extra.stream().filter(column -> random.nextBoolean()).toList();
    StringBuilder columns = new StringBuilder("id, n, v");
    given.forEach(column -> columns.append(", ").append(column.name));
    StringBuilder values = new StringBuilder();
    for (int row = 0; row < rows; row++) {
      values.append(row == 0 ? "(" : ", (").append(key(session)).append(", ").append(number());
      values.append(", ").append(text());
      given.forEach(column -> values.append(", ").append(column.type.value(random)));
      values.append(")");
    }
    return "INSERT INTO " + name + " (" + columns + ") VALUES " + values;
  }

  /** Sets a column that comes and goes, else {@code n}. */
  String updateExtra(int session) {
    if (extra.isEmpty()) {
      return "UPDATE " + name + " SET n = n" + where(session);
    }
    Column column = extra.get(random.nextInt(extra.size()));
    String value = column.type.value(random);
    return "UPDATE " + name + " SET " + column.name + " = " + value + where(session);
  }

  String updateNumber(int session) {
    return "UPDATE " + name + " SET n = " + number() + where(session);
  }

  String updateText(int session) {
    return "UPDATE " + name + " SET v = " + text() + where(session);
  }

  /** A value that PostgreSQL keeps apart from the row. */
  String updateLarge(int session) {
    char letter = (char) ('a' + random.nextInt(3));
    return "UPDATE " + name + " SET big = repeat('" + letter + "', 3000)" + where(session);
  }

  String updateKey(int session) {
    return "UPDATE " + name + " SET id = " + key(session) + where(session);
  }

  String updateMany(int session) {
    int from = random.nextInt(150);
    return "UPDATE "
        + name
        + " SET v = v || 'x' WHERE id BETWEEN "
        + from
        + " AND "
        + (from + 20)
        + own(session);
  }

  String delete(int session) {
    return "DELETE FROM " + name + where(session);
  }

  static String own(int session) {
    return " AND id % " + RandomTransactions.SESSIONS + " = " + session;
  }

  private String where(int session) {
    return " WHERE id = " + key(session);
  }

  private int key(int session) {
    return random.nextInt(50) * RandomTransactions.SESSIONS + session;
  }

  private String number() {
    return random.nextInt(7) == 0 ? "NULL" : String.valueOf(random.nextInt(100));
  }

  private String text() {
    return "'" + TEXTS[random.nextInt(TEXTS.length)].replace("'", "''") + "'";
  }
}
