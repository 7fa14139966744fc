package dev.millrace.subscriber.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.subscriber.fake.TestNode;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Copying rows in COPY's text format")
class TableCopyTest {

  private static TestNode node;

  @BeforeAll
  static void start() {
    node = TestNode.shared();
  }

  @BeforeEach
  void table() {
    node.sql("drop table if exists t", "create table t(id int primary key, a varchar, b varchar)");
  }

  private long copy(List<String> columns, String... payloads) throws Exception {
    try (Connection connection = node.workers().target().openConnection();
        TableCopy copy =
            new TableCopy(
                connection,
                node.workers().target().firstWrites(),
                node.workers().target().relation(new QualifiedName("public", "t")),
                columns)) {
      for (String payload : payloads) {
        byte[] bytes = payload.getBytes(StandardCharsets.UTF_8);
        copy.write(bytes, 0, bytes.length);
      }
      copy.finish();
      connection.commit();
      return copy.rows();
    }
  }

  @Test
  @DisplayName("nulls, empty strings, escapes, columns in another order, several lines at once")
  void rows() throws Exception {
    long rows =
        copy(
            List.of("a", "id"),
            "x\\ty\\nz\\\\\t1\n",
            "\\N\t2\n\t3\n",
            "\\\\N\t4\nNULL\t5\n",
            "\\x41\\102\\q\\v\u00e9\t6\n",
            "\\.\n");
    assertThat(rows).isEqualTo(6);
    assertThat(node.rows("select id, a, b from t order by id"))
        .containsExactly(
            "1,x\ty\nz\\,null",
            "2,null,null",
            "3,,null",
            "4,\\N,null",
            "5,NULL,null",
            "6,ABq\u000B\u00e9,null");
  }

  @Test
  @DisplayName("a line with too few or too many fields is refused with its number")
  void malformed() {
    assertThatThrownBy(() -> copy(List.of("id", "a"), "1\tx\n", "2\n"))
        .isInstanceOfSatisfying(
            PgException.class,
            error -> {
              assertThat(error.sqlState()).isEqualTo("22P04");
              assertThat(error.context()).isEqualTo("COPY t, line 2: \"2\"");
            })
        .hasMessage("missing data for column \"a\"");
    assertThatThrownBy(() -> copy(List.of("id", "a"), "1\tx\ty\n"))
        .hasMessage("extra data after last expected column");
  }

  @Test
  @DisplayName("a row that the table refuses is named by its line, in the middle of a batch too")
  void refusedRow() {
    assertThatThrownBy(() -> copy(List.of("id", "a"), "1\tx\n2\tx\n1\ty\n3\tz\n"))
        .isInstanceOfSatisfying(
            PgException.class,
            error -> {
              assertThat(error.sqlState()).isEqualTo("23505");
              assertThat(error.context()).isEqualTo("COPY t, line 3");
              assertThat(error.detail()).isEqualTo("Key (id)=(1) already exists.");
            });
    assertThatThrownBy(() -> copy(List.of("id"), "1\n2\nx\n"))
        .isInstanceOfSatisfying(
            PgException.class,
            error -> assertThat(error.context()).isEqualTo("COPY t, line 3, column id: \"x\""));
    assertThat(node.count("t")).isZero();
  }

  @Test
  @DisplayName("a row that fails a check is shown, in its table's form and as its line")
  void checkedRow() {
    node.sql(
        "drop table t",
        "create table t(a varchar not null, id int primary key, b varchar, check (b <> 'no'))");
    assertThatThrownBy(() -> copy(List.of("id", "a", "b"), "1\tx\ty\n2\tz\tno\n"))
        .isInstanceOfSatisfying(
            PgException.class,
            error -> {
              assertThat(error.sqlState()).isEqualTo("23514");
              assertThat(error.detail()).isEqualTo("Failing row contains (z, 2, no).");
              assertThat(error.context()).isEqualTo("COPY t, line 2: \"2\tz\tno\"");
            });
    assertThatThrownBy(() -> copy(List.of("id", "a"), "1\t\\N\n"))
        .isInstanceOfSatisfying(
            PgException.class,
            error -> {
              assertThat(error.sqlState()).isEqualTo("23502");
              assertThat(error.detail()).isEqualTo("Failing row contains (a, id) = (null, 1).");
              assertThat(error.context()).isEqualTo("COPY t, line 1: \"1\t\\N\"");
            });
  }

  @Test
  @DisplayName("lines are counted on across batches")
  void laterBatch() {
    StringBuilder rows = new StringBuilder();
    for (int i = 1; i <= 2500; i++) {
      rows.append(i).append('\n');
    }
    assertThatThrownBy(() -> copy(List.of("id"), rows.toString(), "2400\n"))
        .isInstanceOfSatisfying(
            PgException.class, error -> assertThat(error.context()).isEqualTo("COPY t, line 2501"));
  }

  @Test
  @DisplayName("S03 a table that lacks published columns refuses the copy")
  void missingColumns() {
    assertThatThrownBy(() -> copy(List.of("id", "x", "y"), "1\t2\t3\n"))
        .hasMessage(
            "logical replication target relation \"public.t\" is missing replicated columns: \"x\", \"y\"");
  }
}
