package dev.millrace.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The main job: a table replicates from publisher to subscriber")
class MainJobTest {

  private final Pair pair = SharedPair.get();

  @Test
  @DisplayName("existing rows are copied, later inserts, updates and deletes follow")
  void copiesAndFollows() {
    pair.both("CREATE TABLE first (id int PRIMARY KEY, name text, data int)");
    pair.publisher().sql("INSERT INTO first VALUES (1, 'Alice', 1), (2, NULL, 2), (3, '', 3)");
    pair.publisher().sql("CREATE PUBLICATION first_pub FOR TABLE first");
    pair.subscribe("first_sub", "first_pub", null);
    pair.awaitSynced("first_sub");
    String all = "SELECT * FROM first ORDER BY id";
    pair.assertBoth(all, List.of(row("1", "Alice", "1"), row("2", null, "2"), row("3", "", "3")));

    pair.publisher()
        .sql(
            "INSERT INTO first VALUES (4, 'null', 4); UPDATE first SET data = 20 WHERE id = 2;"
                + " UPDATE first SET id = 30 WHERE id = 3; DELETE FROM first WHERE id = 1");
    pair.awaitCaughtUp("first_sub");
    pair.assertBoth(all, List.of(row("2", null, "20"), row("4", "null", "4"), row("30", "", "3")));
    assertThat(pair.publisher().get("/api/v1/slots/first_sub").get("active").asBoolean()).isTrue();
  }

  private static List<String> row(String... values) {
    return java.util.Arrays.asList(values);
  }
}
