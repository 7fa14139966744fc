package dev.millrace.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("N10: dates and times as people spell them for PostgreSQL")
class DateTimeSpellingTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "date | epoch | 1970-01-01",
        "date | Jan 5 2020 | 2020-01-05",
        "date | January 5, 2020 | 2020-01-05",
        "date | 5 sept 1999 | 1999-09-05",
        "date | 5-Jan-2020 | 2020-01-05",
        "date | 2020-Jan-05 | 2020-01-05",
        "date | Jan-05-2020 | 2020-01-05",
        "date | 1/5/2020 | 2020-01-05",
        "date | 1/5/70 | 1970-01-05",
        "date | 1/5/69 | 2069-01-05",
        "date | 2020/01/05 | 2020-01-05",
        "date | 20200105 | 2020-01-05",
        "date | 2020-01-05 10:00 | 2020-01-05",
        "date | March 15, 44 BC | 0044-03-15 BC",
        "time without time zone | 12:34 PM | 12:34:00",
        "time without time zone | 12:34 am | 00:34:00",
        "time without time zone | 1:05:06.7PM | 13:05:06.7",
        "time without time zone | 2020-01-05 10:00 | 10:00:00",
        "time with time zone | 12:00-05:30 | 12:00:00-05:30",
        "time with time zone | 12:00 EST | 12:00:00-05",
        "time with time zone | 2020-07-05 12:00 Europe/Berlin | 12:00:00+02",
        "timestamp without time zone | 20200105T123456 | 2020-01-05 12:34:56",
        "timestamp without time zone | 2020-01-05 10:00+05 | 2020-01-05 10:00:00",
        "timestamp without time zone | Sun Jan 5 12:34:56 2020 | 2020-01-05 12:34:56",
        "timestamp with time zone | 2020-01-01 00:00+05:30 | 2019-12-31 18:30:00+00",
        "timestamp with time zone | 2020-01-01 00:00-0530 | 2020-01-01 05:30:00+00",
        "timestamp with time zone | 2020-01-01 00:00Z | 2020-01-01 00:00:00+00",
        "timestamp with time zone | Jan 5 2020 2:00 pm pst | 2020-01-05 22:00:00+00",
        "timestamp with time zone | 2020-07-01 00:00 america/new_york | 2020-07-01 04:00:00+00",
        "timestamp with time zone | epoch | 1970-01-01 00:00:00+00",
      })
  void isRead(String type, String text, String expected) {
    assertThat(TypeInput.canonical(text, PgType.byName(type).oid(), -1)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "date | Foo 5 2020 | 22007 | invalid input syntax for type date: \"Foo 5 2020\"",
        "date | Jan 5 | 22007 | invalid input syntax for type date: \"Jan 5\"",
        "date | Jan Feb 2020 | 22007 | invalid input syntax for type date: \"Jan Feb 2020\"",
        "date | Jan 32 2020 | 22008 | date/time field value out of range: \"Jan 32 2020\"",
        "date | 13/5/2020 | 22008 | date/time field value out of range: \"13/5/2020\"",
        "timestamp with time zone | 2020-01-01 00:00+16 | 22009"
            + " | time zone displacement out of range: \"2020-01-01 00:00+16\"",
        "time with time zone | 12:00 Europe/Berlin | 22007"
            + " | invalid input syntax for type time with time zone: \"12:00 Europe/Berlin\"",
        "time without time zone | 13:00 PM | 22007"
            + " | invalid input syntax for type time without time zone: \"13:00 PM\"",
      })
  void isRefused(String type, String text, String state, String message) {
    assertThatThrownBy(() -> TypeInput.canonical(text, PgType.byName(type).oid(), -1))
        .isInstanceOfSatisfying(PgException.class, e -> assertThat(e.sqlState()).isEqualTo(state))
        .hasMessage(message);
  }
}
