package dev.millrace.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("N10: types kept as text have one form, PostgreSQL's")
class TypeInputTest {

  private static String canonical(String type, String text) {
    PgType found = PgType.byName(type);
    String again = TypeInput.canonical(text, found.oid(), TypeModifier.NONE);
    assertThat(TypeInput.canonical(again, found.oid(), TypeModifier.NONE)).isEqualTo(again);
    return again;
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "interval | 1 year 2 months 3 days ago | -1 years -2 mons -3 days",
        "interval | P1Y2M3DT4H5M6.7S | 1 year 2 mons 3 days 04:05:06.7",
        "interval | 1 2:03 | 1 day 02:03:00",
        "interval | 1-2 | 1 year 2 mons",
        "interval | -1-2 +3 -4:05:06 | -1 years -2 mons +3 days -04:05:06",
        "interval | 1.5 weeks | 10 days 12:00:00",
        "interval | 0.7 months | 21 days",
        "interval | 90 | 00:01:30",
        "interval | @ 2 hours 1.5 min | 02:01:30",
        "interval | 2:03.5 | 00:02:03.5",
        "interval | Infinity | infinity",
        "interval | INTERVAL '-1 02:03:04' DAY TO SECOND | -1 days -02:03:04",
        "interval | INTERVAL '14' MONTH | 1 year 2 mons",
        "jsonb | {\"b\":1, \"a\" : [ 1.50 ,1e2,-0], \"b\": null} | {\"a\": [1.50, 100, 0], \"b\": null}",
        "jsonb | {\"aa\":1,\"b\":2} | {\"b\": 2, \"aa\": 1}",
        "jsonb | \"\\u0041\\u0001\\/\" | \"A\\u0001/\"",
        "json | [1 ,2] | [1 ,2]",
        "int[] | { 1, 02 ,null} | {1,2,NULL}",
        "int[] | [1:2]={1,2} | {1,2}",
        "int[] | {{1,2},{3,4}} | {{1,2},{3,4}}",
        "text[] | {\"a b\",c\\,d, \"\", e f } | {\"a b\",\"c,d\",\"\",\"e f\"}",
        "bool[] | {true,f} | {t,f}",
        "date[] | {2024-01-02,infinity} | {2024-01-02,infinity}",
        "jsonb[] | {\"{\\\"a\\\":1}\"} | {\"{\\\"a\\\": 1}\"}",
        "inet | 192.168.0.1/32 | 192.168.0.1",
        "inet | 2001:DB8:0:0:0:0:0:1/64 | 2001:db8::1/64",
        "inet | ::ffff:1.2.3.4 | ::ffff:1.2.3.4",
        "cidr | 192.168 | 192.168.0.0/24",
        "cidr | 10.1.0.0/16 | 10.1.0.0/16",
        "macaddr | 08002B:010203 | 08:00:2b:01:02:03",
        "macaddr8 | 08-00-2b-01-02-03 | 08:00:2b:ff:fe:01:02:03",
        "varbit | xF0 | 11110000"
      })
  @DisplayName("a value in any spelling is printed in one")
  void spellings(String type, String written, String printed) {
    assertThat(canonical(type, written)).isEqualTo(printed);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "interval | 1 fortnight | 22007 | invalid input syntax for type interval: \"1 fortnight\"",
        "interval | 999999999 years | 22015 | interval field value out of range: \"999999999 years\"",
        "jsonb | {\"a\":} | 22P02 | invalid input syntax for type json",
        "json | {} x | 22P02 | invalid input syntax for type json",
        "jsonb | \"\\u0000\" | 22P05 | unsupported Unicode escape sequence",
        "int[] | 1,2 | 22P02 | malformed array literal: \"1,2\"",
        "int[] | {1,{2}} | 22P02 | malformed array literal: \"{1,{2}}\"",
        "int[] | {{1,2},{3}} | 22P02 | malformed array literal: \"{{1,2},{3}}\"",
        "int[] | {1,2 | 22P02 | malformed array literal: \"{1,2\"",
        "int[] | {x} | 22P02 | invalid input syntax for type integer: \"x\"",
        "cidr | 10.0.0.1/8 | 22P02 | invalid cidr value: \"10.0.0.1/8\"",
        "inet | 1.2.3 | 22P02 | invalid input syntax for type inet: \"1.2.3\"",
        "macaddr | 08:00:2b | 22P02 | invalid input syntax for type macaddr: \"08:00:2b\"",
        "bit | 102 | 22P02 | \"2\" is not a valid binary digit"
      })
  @DisplayName("what is no value of the type is refused in PostgreSQL's words")
  void refusals(String type, String written, String state, String message) {
    assertThatThrownBy(() -> canonical(type, written))
        .isInstanceOfSatisfying(PgException.class, e -> assertThat(e.sqlState()).isEqualTo(state))
        .hasMessage(message);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "interval year to month | 1 year 2 mons 3 days | 1 year 2 mons",
        "interval day | 1 day 02:03:04 | 1 day",
        "interval(1) | 00:00:01.26 | 00:00:01.3",
        "varchar(3)[] | {ab,abc} | {ab,abc}",
        "numeric(5,1)[] | {1.26,2} | {1.3,2.0}"
      })
  @DisplayName("the type's modifier restricts the value")
  void modifiers(String type, String written, String printed) {
    int modifier =
        switch (type) {
          case "interval year to month" -> IntervalFields.typeModifier("year", "month", -1);
          case "interval day" -> IntervalFields.typeModifier("day", null, -1);
          case "interval(1)" -> IntervalFields.typeModifier(null, null, 1);
          case "varchar(3)[]" -> TypeModifier.ofLength(3);
          default -> TypeModifier.ofNumeric(5, 1);
        };
    PgType found = PgType.byName(type.replaceAll("\\(.*\\)| .*", ""));
    assertThat(PgType.format(found.oid(), modifier))
        .isEqualTo(type.replace("varchar", "character varying"));
    assertThat(TypeInput.canonical(written, found.oid(), modifier)).isEqualTo(printed);
  }
}
