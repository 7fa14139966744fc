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
}
