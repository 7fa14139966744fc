package dev.millrace.e2e;

import static dev.millrace.e2e.Rows.row;
import static dev.millrace.e2e.Rows.rows;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("N10: values of types that H2 lacks, copied and applied")
class TypesScenariosTest {

  private final Pair pair = SharedPair.get();

  @Test
  @DisplayName("json, interval, arrays, network and bit types arrive as PostgreSQL prints them")
  void textTypes() {
    pair.both(
        "CREATE TABLE tt (id int PRIMARY KEY, j json, jb jsonb, i interval, a int[], t text[],"
            + " ts timestamptz[], w inet, m macaddr, b bit(3), v varchar)");
    pair.publisher()
        .sql(
            "INSERT INTO tt VALUES (1, '{\"b\" : 1}', '{\"b\" : 1, \"a\":[]}', '1 day 2 hours',"
                + " '{1,2}', ARRAY['x','y z',NULL], '{2024-01-01 00:00:00+02}', '10.0.0.1/8',"
                + " '08002b010203', B'101', 'v')");
    pair.publisher().sql("CREATE PUBLICATION tt_pub FOR TABLE tt");
    pair.subscribe("tt_sub", "tt_pub", null);
    pair.awaitSynced("tt_sub");
    pair.publisher()
        .sql(
            "INSERT INTO tt (id, a, i) VALUES (2, '{{1,2},{3,NULL}}', '-1 mon');"
                + " UPDATE tt SET jb = '[1.50]', a = '{}' WHERE id = 1");
    pair.awaitCaughtUp("tt_sub");
    pair.assertBoth(
        "SELECT * FROM tt ORDER BY id",
        rows(
            row(
                "1",
                "{\"b\" : 1}",
                "[1.50]",
                "1 day 02:00:00",
                "{}",
                "{x,\"y z\",NULL}",
                "{\"2023-12-31 22:00:00+00\"}",
                "10.0.0.1/8",
                "08:00:2b:01:02:03",
                "101",
                "v"),
            row(
                "2",
                null,
                null,
                "-1 mons",
                "{{1,2},{3,NULL}}",
                null,
                null,
                null,
                null,
                null,
                null)));
    pair.subscriber().sql("ALTER TABLE tt ADD COLUMN own interval");
    pair.subscriber().sql("UPDATE tt SET own = '90 min', a = ARRAY[7, 8] WHERE id = 2");
    assertThat(pair.subscriber().rows("SELECT own, a FROM tt WHERE id = 2"))
        .isEqualTo(rows(row("01:30:00", "{7,8}")));
    pair.publisher().sql("UPDATE tt SET i = '2 mons' WHERE id = 2");
    pair.awaitCaughtUp("tt_sub");
    assertThat(pair.subscriber().rows("SELECT i, own FROM tt WHERE id = 2"))
        .isEqualTo(rows(row("2 mons", "01:30:00")));
  }

  @Test
  @DisplayName("enums and domains are copied and applied, also when only one side has them")
  void userTypes() {
    pair.both(
        "CREATE TYPE tu_mood AS ENUM ('sad', 'ok'); CREATE DOMAIN tu_pos AS int CHECK (VALUE > 0);"
            + " CREATE TABLE tu (m tu_mood PRIMARY KEY, p tu_pos, t tu_mood)");
    pair.publisher().sql("CREATE TABLE tu_text (id int PRIMARY KEY, m tu_mood)");
    pair.subscriber().sql("CREATE TABLE tu_text (id int PRIMARY KEY, m text)");
    pair.publisher()
        .sql("INSERT INTO tu VALUES ('sad', 1, 'ok'); INSERT INTO tu_text VALUES (1, 'ok')");
    pair.publisher().sql("CREATE PUBLICATION tu_pub FOR TABLE tu, tu_text");
    pair.subscribe("tu_sub", "tu_pub", null);
    pair.awaitSynced("tu_sub");
    pair.both("ALTER TYPE tu_mood ADD VALUE 'glad'");
    pair.publisher()
        .sql(
            "UPDATE tu SET m = 'glad', p = 2; INSERT INTO tu VALUES ('ok', NULL, 'glad');"
                + " UPDATE tu_text SET m = 'glad'");
    pair.awaitCaughtUp("tu_sub");
    pair.assertBoth(
        "SELECT * FROM tu ORDER BY p", rows(row("glad", "2", "ok"), row("ok", null, "glad")));
    pair.assertBoth("SELECT * FROM tu_text", rows(row("1", "glad")));
    pair.assertBoth(
        "SELECT t.typname, t.typtype, e.enumlabel FROM pg_type t LEFT JOIN pg_enum e ON"
            + " e.enumtypid = t.oid WHERE t.typname LIKE 'tu%' ORDER BY 1, e.enumsortorder",
        rows(
            row("tu_mood", "e", "sad"),
            row("tu_mood", "e", "ok"),
            row("tu_mood", "e", "glad"),
            row("tu_pos", "d", null)));
  }
}
