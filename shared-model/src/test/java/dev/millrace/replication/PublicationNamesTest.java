package dev.millrace.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("publication_names is a list of identifiers")
class PublicationNamesTest {

  @Test
  @DisplayName("folded unless quoted, blanks around names ignored")
  void identifiers() {
    assertThat(PublicationNames.parse("Test_Uppercase")).containsExactly("test_uppercase");
    assertThat(PublicationNames.parse("\"Test_Uppercase\"")).containsExactly("Test_Uppercase");
    assertThat(PublicationNames.parse(" a ,\"P Case\" , \"q\"\"t,\",\tÜb "))
        .containsExactly("a", "P Case", "q\"t,", "Üb");
    assertThat(PublicationNames.parse("  ")).isEmpty();
    assertThat(PublicationNames.parse("x".repeat(70))).containsExactly("x".repeat(63));
  }

  @ParameterizedTest
  @ValueSource(strings = {"P Case", "a,", ",a", "a,,b", "\"a", "\"\"", "a b", "\"a\"b"})
  @DisplayName("anything else is an error")
  void invalid(String text) {
    assertThatThrownBy(() -> PublicationNames.parse(text))
        .isInstanceOfSatisfying(
            PgException.class,
            e -> {
              assertThat(e.getMessage()).isEqualTo("invalid publication_names syntax");
              assertThat(e.sqlState()).isEqualTo("42602");
            });
  }

  @Test
  @DisplayName("a list written is read back alike")
  void roundTrip() {
    List<String> names = List.of("plain", "P Case", "it's", "a\"b", "p,2");
    assertThat(PublicationNames.parse(PublicationNames.format(names))).isEqualTo(names);
  }
}
