package dev.millrace.publisher.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.PgException;
import dev.millrace.model.PgType;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.sql.RowFilterText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A row filter, evaluated by H2")
class FilterSessionTest {

  private final FilterSession session = new FilterSession();

  @AfterEach
  void close() {
    session.close();
  }

  /** A table of a column each: the types' names, separated by commas, are those of a, b, c .. */
  private static RelationDefinition table(String types) {
    List<ColumnDefinition> columns = new ArrayList<>();
    for (String type : types.split(",")) {
      int attnum = columns.size() + 1;
      String name = String.valueOf((char) ('a' + attnum - 1));
      columns.add(
          new ColumnDefinition(
              attnum, name, PgType.byName(type).oid(), -1, false, (char) 0, (char) 0));
    }
    return new RelationDefinition(
        16400, 1, new QualifiedName("public", "t"), columns, List.of(), ReplicaIdentity.DEFAULT, 0);
  }

  /** Values in text form; null for NULL. */
  private boolean matches(String types, String filter, String... values) {
    RelationDefinition table = table(types);
    RowFilter compiled = session.compile(List.of(RowFilterText.of(filter, table)), table);
    int[] positions = compiled.positions();
    for (int i = 0; i < positions.length; i++) {
      String value = values[positions[i]];
      if (value == null) {
        compiled.setNull(i);
      } else {
        byte[] text = ("--" + value).getBytes(StandardCharsets.UTF_8);
        compiled.set(i, text, 2, text.length - 2);
      }
    }
    return compiled.matches();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "integer | a > 10 | 11 | true",
        "integer | a > 10 | 10 | false",
        "integer | a > 10 | | false",
        "integer | NOT a > 10 | | false",
        "integer | a IS NULL | | true",
        "integer | a IS DISTINCT FROM 5 | | true",
        "integer | a % 2 = 0 AND a BETWEEN 4 AND 8 | 6 | true",
        "integer | a IN (1, 2, 3) | 3 | true",
        "integer | a NOT IN (1, NULL) | 3 | false",
        "integer | a = '7' | 7 | true",
        "integer | -a = 7 | -7 | true",
        "smallint | a / 2 = 1 | 3 | true",
        "bigint | a > 9007199254740993 | 9007199254740994 | true",
        "boolean | a | t | true",
        "boolean | NOT a | t | false",
        "boolean | a IS NOT TRUE | | true",
        "numeric | a = 1.5 | 1.50 | true",
        "numeric | a > 1e20 | 100000000000000000001 | true",
        "numeric | a > 0 | Infinity | true",
        "double precision | a < 0.5 | 0.25 | true",
        "double precision | a = 'NaN' | NaN | true",
        "real | a >= 1 | 1e+10 | true",
        "text | a = 'it''s' | it's | true",
        "text | a LIKE 'x%' | xyz | true",
        "text | a LIKE 'x\\_%' | x_z | true",
        "text | a ILIKE 'X%' | xyz | true",
        "text | a ~ '^x.z$' | xyz | true",
        "text | a <> 'filtered' | | false",
        "text | upper(a) = 'ÉA' AND length(a) = 2 | éa | true",
        "text | coalesce(a, 'none') = 'none' | | true",
        "text | a = E'a\\tb' | a\tb | true",
        "text | substring(a from 2 for 1) = 'b' | abc | true",
        "text | position('c' in a) = 3 | abc | true",
        "text | CASE WHEN a = 'x' THEN true ELSE false END | x | true",
        "text | a = '\\x41' | \\x41 | true",
        "text | a::integer > 5 | 6 | true",
        "text | CAST(a AS integer) > 5 | 6 | true",
        "character | a = 'ab' | ab    | true",
        "bytea | a = '\\x4142' | \\x4142 | true",
        "date | a > '2026-01-31' | 2026-02-01 | true",
        "date | a = date '2026-02-01' | 2026-02-01 | true",
        "date | extract(year from a) = 2026 | 2026-02-01 | true",
        "time | a < '12:00' | 11:59:59.9 | true",
        "timestamp | a >= '2026-02-01 10:00' | 2026-02-01 10:00:00 | true",
        "timestamp with time zone | a = '2026-02-01 10:00+00' | 2026-02-01 12:00:00+02 | true",
        "uuid | a = 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'"
            + " | a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11 | true",
        "inet | a = '10.0.0.1' | 10.0.0.1 | true",
        "json | a IS NOT NULL | {} | true",
        "integer | a = ANY ('{1,2}') | 2 | true",
        "integer | a = ANY ('{1,2}'::int[]) | 3 | false",
        "integer | a = SOME (ARRAY[1, 2]) | 1 | true",
        "integer | NOT a <> ALL ('{1,2}') | 2 | true",
        "integer | a <> ALL (ARRAY[1, a]) | 2 | false",
        "integer | a <> ALL ('{1,NULL}') | 2 | false",
        "text | a = ANY ('{x,\"y z\"}') | y z | true",
        "text | a = ANY (ARRAY['x', 'y']::text[]) | y | true",
        "date | a = ANY ('{2026-01-01,Jan 2 2026}'::date[]) | 2026-01-02 | true",
        "timestamp | extract(year from a) = 2026 | 2026-02-01 10:00:00 | true",
        "timestamp | date_trunc('day', a) = '2026-02-01' | 2026-02-01 10:00:00 | true",
        "timestamp | a::date = '2026-02-01' | 2026-02-01 10:00:00 | true",
        "oid | a > 4000000000 | 4000000001 | true",
      })
  @DisplayName("O3 is true, false or unknown as in SQL, for each type")
  void types(String types, String filter, String value, boolean expected) {
    String text = value == null ? null : value.replace("\\t", "\t");
    assertThat(matches(types, filter, text)).isEqualTo(expected);
  }

  @Test
  @DisplayName("reads several columns, whatever their names mean elsewhere")
  void severalColumns() {
    assertThat(matches("integer,text,date", "c > '2026-01-01' AND a < 5", "4", null, "2026-05-05"))
        .isTrue();
    assertThat(matches("integer,integer", "a < b OR t.a = public.t.b", "4", "4")).isTrue();
  }

  @Test
  @DisplayName("of several alternatives one is enough, and constants need no column")
  void alternatives() {
    RelationDefinition table = table("integer");
    RowFilter filter = session.compile(List.of("$1 < 10", "NULL", "$1 > 30"), table);
    for (int value : new int[] {5, 20, 35}) {
      byte[] text = String.valueOf(value).getBytes(StandardCharsets.US_ASCII);
      filter.set(0, text, 0, text.length);
      assertThat(filter.matches()).as("%d", value).isEqualTo(value != 20);
    }
    assertThat(session.compile(List.of("true"), table).matches()).isTrue();
    assertThat(session.compile(List.of("false", "NULL"), table).matches()).isFalse();
  }

  @Test
  @DisplayName("fails with the expression's own error, and goes on with the next row")
  void errors() {
    assertThatThrownBy(() -> matches("integer", "10 / a > 1", "0"))
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.sqlState()).isEqualTo("22012"));
    assertThat(matches("integer", "10 / a > 1", "2")).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "text | a > 5 | operator does not exist: text > integer",
        "integer,text | a = b | operator does not exist: integer = text",
        "boolean | a = 1 | operator does not exist: boolean = integer",
        "text | a BETWEEN 1 AND 2 | operator does not exist: text >= integer",
        "text | a IN (1, 2) | operator does not exist: text = integer",
        "text,date | a < b | operator does not exist: text < date",
      })
  @DisplayName("is refused when it compares what PostgreSQL would not: rows could fail in it later")
  void mismatches(String types, String filter, String message) {
    RelationDefinition table = table(types);
    assertThatThrownBy(() -> FilterSession.check(RowFilterText.of(filter, table), table))
        .isInstanceOfSatisfying(PgException.class, e -> assertThat(e.sqlState()).isEqualTo("42883"))
        .hasMessage(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "timestamp with time zone | date_trunc('day', a) = '2026-01-01'",
        "timestamp with time zone | extract(year from a) = 2026",
        "timestamp with time zone | a::date = '2026-01-01'",
        "timestamp with time zone | a::timestamp > '2026-01-01'",
        "timestamp with time zone | CAST(a AS text) LIKE '2026%'",
        "timestamp with time zone | a + interval '1 day' > '2026-01-01'",
        "timestamp | a::timestamptz > '2026-01-01'",
        "timestamp with time zone,timestamp | a > b",
        "date,timestamp with time zone | a IN (b)",
        "date | a::text = '2026-01-01'",
        "text | a::date > '2026-01-01'",
        "text | a::timestamp IS NOT NULL",
        "integer | now() IS NULL",
      })
  @DisplayName("is refused when its answer depends on the session's time zone or date style")
  void mutable(String types, String filter) {
    RelationDefinition table = table(types);
    assertThatThrownBy(() -> FilterSession.check(RowFilterText.of(filter, table), table))
        .isInstanceOfSatisfying(
            PgException.class,
            e -> {
              assertThat(e.sqlState()).isEqualTo("0A000");
              assertThat(e.detail()).contains("mutable functions are not allowed");
            })
        .hasMessage("invalid publication WHERE expression");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "integer | a = ANY ('{1,x}') | 22P02 | invalid input syntax: \"x\"",
        "integer | a = ANY ('{1') | 22P02 | malformed array literal: \"{1\"",
        "integer | a = ANY ('{x}'::text[]) | 22P02 | invalid input syntax: \"x\"",
        "text | a = ANY (ARRAY[1]) | 42883 | operator does not exist: text = integer",
        "integer[] | 1 = ANY (a) | 0A000 | ANY and ALL over an array that is not written out are"
            + " not supported",
        "integer | a > ALL ('{1}') | 0A000"
            + " | ANY and ALL with this operator are not supported in a row filter",
        "text | a LIKE ANY ('{x}') | 0A000 | LIKE with ANY or ALL is not supported",
        "text | a COLLATE \"C\" = 'x' | 0A000 | COLLATE in a row filter is not supported",
        "text | a SIMILAR TO 'x' | 0A000 | SIMILAR TO in a row filter is not supported",
        "date | date_part('year', a) = 2026 | 0A000"
            + " | date_part in a row filter is not supported",
      })
  @DisplayName("is refused when it is made, not row by row, for what it cannot compare")
  void refused(String types, String filter, String state, String message) {
    RelationDefinition table = table(types);
    assertThatThrownBy(() -> FilterSession.check(RowFilterText.of(filter, table), table))
        .isInstanceOfSatisfying(PgException.class, e -> assertThat(e.sqlState()).isEqualTo(state))
        .hasMessage(message);
  }
}
