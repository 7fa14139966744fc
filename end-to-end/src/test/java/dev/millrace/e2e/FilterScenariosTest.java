package dev.millrace.e2e;

import static dev.millrace.e2e.Rows.row;
import static dev.millrace.e2e.Rows.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.millrace.tools.MillraceApi;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Row filters and column lists from publisher to subscriber")
class FilterScenariosTest {

  private final Pair pair = SharedPair.get();

  private void slot(String name) {
    pair.publisher().post("/api/v1/slots", Map.of("slot_name", name, "plugin", "pgoutput"));
  }

  private List<String> sent(String slot, String publication) {
    return Changes.get(pair.publisher(), slot, publication);
  }

  @Test
  @DisplayName("S36 filtered rows are copied and streamed; an UPDATE moves rows in and out")
  void rowFilters() {
    MillraceApi publisher = pair.publisher();
    pair.both(
        "CREATE TABLE s36_1 (a int PRIMARY KEY, b text);"
            + "CREATE TABLE s36_2 (c int PRIMARY KEY); CREATE TABLE s36_4 (c int PRIMARY KEY)");
    publisher.sql("ALTER TABLE s36_1 REPLICA IDENTITY FULL");
    publisher.sql(
        "INSERT INTO s36_1 VALUES (1, 'not replicated'), (1500, 'filtered'), (1980, 'not filtered');"
            + "INSERT INTO s36_1 SELECT x, 'test ' || x FROM generate_series(990, 1002) x;"
            + "INSERT INTO s36_2 SELECT x FROM generate_series(1, 20) x");
    publisher.sql(
        "CREATE PUBLICATION s36_p1 FOR TABLE s36_1 WHERE (a > 1000 AND b <> 'filtered');"
            + "CREATE PUBLICATION s36_p2a FOR TABLE s36_2 WHERE (c % 2 = 0);"
            + "CREATE PUBLICATION s36_p2b FOR TABLE s36_2 WHERE (c % 3 = 0);"
            + "CREATE PUBLICATION s36_p4a FOR TABLE s36_4 WHERE (c % 2 = 0);"
            + "CREATE PUBLICATION s36_p4b FOR TABLE s36_4");
    pair.subscribe("s36_sub", "s36_p1, s36_p2a, s36_p2b, s36_p4a, s36_p4b", null);
    pair.awaitSynced("s36_sub");
    assertThat(keys("a", "s36_1")).isEqualTo("1001,1002,1980");
    assertThat(keys("c", "s36_2")).isEqualTo("2,3,4,6,8,9,10,12,14,15,16,18,20");
    slot("s36_slot");
    publisher.sql("INSERT INTO s36_1 VALUES (800, 'test 800')");
    publisher.sql("INSERT INTO s36_1 VALUES (1600, 'test 1600'), (1601, 'test 1601')");
    publisher.sql("INSERT INTO s36_1 VALUES (1602, 'filtered'), (1700, 'test 1700')");
    publisher.sql("UPDATE s36_1 SET b = NULL WHERE a = 1600");
    publisher.sql("UPDATE s36_1 SET b = 'test 1601 updated' WHERE a = 1601");
    publisher.sql("UPDATE s36_1 SET b = 'test 1602 updated' WHERE a = 1602");
    publisher.sql("UPDATE s36_1 SET b = 'out of reach' WHERE a = 800");
    publisher.sql("DELETE FROM s36_1 WHERE a = 1700");
    publisher.sql("INSERT INTO s36_2 SELECT x FROM generate_series(21, 25) x");
    publisher.sql("INSERT INTO s36_4 VALUES (0), (11), (12)");
    assertThat(sent("s36_slot", "s36_p1"))
        .containsExactly(
            "I N(1600,test 1600)",
            "I N(1601,test 1601)",
            "I N(1700,test 1700)",
            "D O(1600,test 1600)",
            "U O(1601,test 1601) N(1601,test 1601 updated)",
            "I N(1602,test 1602 updated)",
            "D O(1700,test 1700)");
    pair.awaitCaughtUp("s36_sub");
    assertThat(keys("a", "s36_1")).isEqualTo("1001,1002,1601,1602,1980");
    assertThat(keys("c", "s36_2")).isEqualTo("2,3,4,6,8,9,10,12,14,15,16,18,20,21,22,24");
    assertThat(keys("c", "s36_4")).isEqualTo("0,11,12");
  }

  private String keys(String key, String table) {
    return String.join(
        ",",
        pair.subscriber().rows("SELECT " + key + " FROM " + table + " ORDER BY " + key).stream()
            .map(row -> row.get(0))
            .toList());
  }

  @Test
  @DisplayName("S36 a filter on a large value that did not change judges the old row's value")
  void largeValues() {
    MillraceApi publisher = pair.publisher();
    String large = "1234567890".repeat(300);
    publisher.sql(
        "CREATE TABLE s36_toast (a text NOT NULL, b text NOT NULL, c int, PRIMARY KEY (a, b));"
            + "CREATE PUBLICATION s36_toast_pub FOR TABLE s36_toast"
            + " WHERE (a = repeat('1234567890', 300) AND b < '10')");
    publisher.sql("INSERT INTO s36_toast VALUES (repeat('1234567890', 300), '1', 1)");
    slot("s36_toast_slot");
    publisher.sql("UPDATE s36_toast SET c = 2");
    publisher.sql("UPDATE s36_toast SET b = '10'");
    publisher.sql("UPDATE s36_toast SET b = '0'");
    assertThat(sent("s36_toast_slot", "s36_toast_pub"))
        .containsExactly(
            "U K(" + large + ",1,null) N(" + large + ",1,2)",
            "D K(" + large + ",1,null)",
            "I N(" + large + ",0,2)");
  }

  @Test
  @DisplayName("S36 an INSERT made from an UPDATE holds the large values that did not change")
  void wholeInsert() {
    MillraceApi publisher = pair.publisher();
    pair.both("CREATE TABLE s36_whole (id int PRIMARY KEY, big text)");
    publisher.sql("CREATE PUBLICATION s36_whole_pub FOR TABLE s36_whole WHERE (id > 10)");
    publisher.sql("INSERT INTO s36_whole VALUES (1, repeat('x', 5000))");
    pair.subscribe("s36_whole_sub", "s36_whole_pub", null);
    pair.awaitSynced("s36_whole_sub");
    publisher.sql("UPDATE s36_whole SET id = 11");
    pair.awaitCaughtUp("s36_whole_sub");
    pair.assertBoth("SELECT id, length(big) FROM s36_whole", rows(row("11", "5000")));
  }

  @Test
  @DisplayName("S36 a filter that fails stops decoding with its error, unless its transaction ends")
  void failingFilter() {
    MillraceApi publisher = pair.publisher();
    publisher.sql(
        "CREATE TABLE s36_error (a int PRIMARY KEY);"
            + "CREATE PUBLICATION s36_error_pub FOR TABLE s36_error WHERE (10 / a > 1)");
    slot("s36_error_slot");
    publisher.sql("BEGIN; INSERT INTO s36_error VALUES (0); ROLLBACK");
    publisher.sql("INSERT INTO s36_error VALUES (4)");
    assertThat(sent("s36_error_slot", "s36_error_pub")).containsExactly("I N(4)");
    publisher.sql("INSERT INTO s36_error VALUES (0)");
    MillraceApi.Refused refused =
        catchThrowableOfType(
            MillraceApi.Refused.class, () -> sent("s36_error_slot", "s36_error_pub"));
    assertThat(refused.sqlState()).isEqualTo("22012");
    publisher.sql("ALTER PUBLICATION s36_error_pub SET TABLE s36_error");
    refused =
        catchThrowableOfType(
            MillraceApi.Refused.class, () -> sent("s36_error_slot", "s36_error_pub"));
    assertThat(refused.sqlState()).as("the filter as of the change holds").isEqualTo("22012");
  }

  @Test
  @DisplayName("S37 only listed columns are copied and sent, old keys too")
  void columnLists() {
    MillraceApi publisher = pair.publisher();
    pair.both("CREATE TABLE s37_1 (a int PRIMARY KEY, \"B\" text, c int)");
    publisher.sql("INSERT INTO s37_1 VALUES (1, 'one', 11)");
    publisher.sql("CREATE PUBLICATION s37_p1 FOR TABLE s37_1 (a, \"B\") WHERE (a < 100)");
    publisher.sql("CREATE PUBLICATION s37_p2 FOR TABLE s37_1 (\"B\", a)");
    slot("s37_slot");
    pair.subscribe("s37_sub", "s37_p1, s37_p2", null);
    pair.awaitSynced("s37_sub");
    assertThat(pair.subscriber().rows("SELECT * FROM s37_1"))
        .isEqualTo(rows(row("1", "one", null)));
    publisher.sql("INSERT INTO s37_1 VALUES (2, 'two', 22)");
    publisher.sql("UPDATE s37_1 SET \"B\" = 'x', c = 0 WHERE a = 1");
    publisher.sql("UPDATE s37_1 SET c = 7 WHERE a = 2");
    publisher.sql("UPDATE s37_1 SET a = 3 WHERE a = 2");
    publisher.sql("DELETE FROM s37_1 WHERE a = 1");
    assertThat(sent("s37_slot", "s37_p1,s37_p2"))
        .containsExactly(
            "I N(2,two)", "U N(1,x)", "U N(2,two)", "U K(2,null) N(3,two)", "D K(1,null)");
    pair.awaitCaughtUp("s37_sub");
    assertThat(pair.subscriber().rows("SELECT * FROM s37_1"))
        .isEqualTo(rows(row("3", "two", null)));
  }

  @Test
  @DisplayName("S37 different lists are refused at creation and, when they come later, by decoding")
  void differentLists() {
    MillraceApi publisher = pair.publisher();
    pair.both("CREATE TABLE s37_mix (a int PRIMARY KEY, b int, c int)");
    publisher.sql(
        "CREATE PUBLICATION s37_mix_1 FOR TABLE s37_mix (a, b);"
            + "CREATE PUBLICATION s37_mix_2 FOR TABLE s37_mix (a, c)");
    MillraceApi.Refused refused =
        catchThrowableOfType(
            MillraceApi.Refused.class,
            () -> pair.subscribe("s37_mix_sub", "s37_mix_1, s37_mix_2", null));
    String different =
        "cannot use different column lists for table \"public.s37_mix\" in different publications";
    assertThat(refused.sqlState()).isEqualTo("0A000");
    assertThat(refused.member("detail")).contains(different);
    publisher.sql("ALTER PUBLICATION s37_mix_2 SET TABLE s37_mix (b, a)");
    slot("s37_mix_slot");
    publisher.sql("INSERT INTO s37_mix VALUES (1, 2, 3)");
    assertThat(sent("s37_mix_slot", "s37_mix_1,s37_mix_2")).containsExactly("I N(1,2)");
    publisher.sql("ALTER PUBLICATION s37_mix_2 SET TABLE s37_mix (a, c)");
    publisher.sql("INSERT INTO s37_mix VALUES (2, 3, 4)");
    refused =
        catchThrowableOfType(
            MillraceApi.Refused.class, () -> sent("s37_mix_slot", "s37_mix_1,s37_mix_2"));
    assertThat(refused.sqlState()).isEqualTo("0A000");
    assertThat(refused.member("detail")).contains(different);
  }

  @Test
  @DisplayName("S37 a publication of all tables or of the schema publishes every column and row")
  void wholeSchema() {
    MillraceApi publisher = pair.publisher();
    publisher.sql("CREATE SCHEMA s37; CREATE TABLE s37.t (a int PRIMARY KEY, b int)");
    publisher.sql("CREATE PUBLICATION s37_listed FOR TABLE s37.t WHERE (a > 1)");
    publisher.sql("ALTER PUBLICATION s37_listed ADD TABLES IN SCHEMA s37");
    publisher.sql("CREATE PUBLICATION s37_all FOR ALL TABLES WITH (publish = 'insert')");
    assertThat(
            publisher.rows(
                "SELECT pubname, attnames, rowfilter FROM pg_publication_tables"
                    + " WHERE schemaname = 's37' ORDER BY pubname"))
        .isEqualTo(rows(row("s37_all", "{a,b}", null), row("s37_listed", "{a,b}", null)));
    slot("s37_all_slot");
    publisher.sql("INSERT INTO s37.t VALUES (1, 2)");
    assertThat(sent("s37_all_slot", "s37_listed")).containsExactly("I N(1,2)");
    publisher.sql("DROP PUBLICATION s37_all");
  }

  @Test
  @DisplayName("C1 stored generated columns are copied and streamed where they are published")
  void generatedColumns() {
    MillraceApi publisher = pair.publisher();
    publisher.sql(
        "CREATE TABLE c1_gen (id int PRIMARY KEY, a int, twice int GENERATED ALWAYS AS (a * 2) STORED)");
    pair.subscriber().sql("CREATE TABLE c1_gen (id int PRIMARY KEY, a int, twice int)");
    publisher.sql("INSERT INTO c1_gen (id, a) VALUES (1, 5)");
    publisher.sql(
        "CREATE PUBLICATION c1_gen_pub FOR TABLE c1_gen WITH (publish_generated_columns = stored)");
    pair.subscribe("c1_gen_sub", "c1_gen_pub", null);
    pair.awaitSynced("c1_gen_sub");
    publisher.sql("INSERT INTO c1_gen (id, a) VALUES (2, 6)");
    pair.awaitCaughtUp("c1_gen_sub");
    pair.assertBoth(
        "SELECT id, a, twice FROM c1_gen ORDER BY id",
        rows(row("1", "5", "10"), row("2", "6", "12")));
  }
}
