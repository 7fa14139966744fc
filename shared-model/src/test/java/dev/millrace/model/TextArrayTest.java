package dev.millrace.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("An array's text form")
class TextArrayTest {

  static Stream<Arguments> forms() {
    return Stream.of(
        Arguments.of(List.of(), "{}"),
        Arguments.of(List.of("a", "b"), "{a,b}"),
        Arguments.of(List.of("a b", "", "null", "NULL"), "{\"a b\",\"\",\"null\",\"NULL\"}"),
        Arguments.of(
            List.of("x,y", "{z}", "q\"q", "b\\s"), "{\"x,y\",\"{z}\",\"q\\\"q\",\"b\\\\s\"}"),
        Arguments.of(Arrays.asList(null, "é"), "{NULL,é}"));
  }

  @ParameterizedTest
  @MethodSource("forms")
  @DisplayName("quotes what PostgreSQL quotes and is read back")
  void roundTrip(List<String> elements, String text) {
    assertThat(TextArray.format(elements)).isEqualTo(text);
    assertThat(TextArray.parse(text)).isEqualTo(elements);
  }

  @Test
  @DisplayName("may escape in a bare element")
  void bareEscape() {
    assertThat(TextArray.parse("{a\\,b,c}")).containsExactly("a,b", "c");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "}",
        "a",
        "{a",
        "a}",
        "{a,}",
        "{,a}",
        "{\"a}",
        "{\"a\"b}",
        "{a\"b}",
        "{{a}}",
        "{a\\}"
      })
  @DisplayName("is refused with 22P02 when it is none")
  void malformed(String text) {
    assertThatThrownBy(() -> TextArray.parse(text))
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.sqlState()).isEqualTo("22P02"));
  }
}
