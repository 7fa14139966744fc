package dev.millrace.publisher.decoding.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PgOutputOptionsTest {

  private static Map<String, String> options(String... pairs) {
    Map<String, String> options = new TreeMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      options.put(pairs[i], pairs[i + 1]);
    }
    return options;
  }

  private static Map<String, String> with(String version, String... pairs) {
    Map<String, String> options = options(pairs);
    options.put("proto_version", version);
    options.putIfAbsent("publication_names", "p");
    return options;
  }

  private static void assertRefused(String sqlState, String message, Map<String, String> options) {
    assertThatThrownBy(() -> PgOutputOptions.parse(options))
        .hasMessage(message)
        .extracting(e -> ((PgException) e).sqlState())
        .isEqualTo(sqlState);
  }

  @Test
  @DisplayName("S44: each wrong option is refused in PostgreSQL's words")
  void wrongOptions() {
    assertRefused(
        "0A000",
        "client sent proto_version=0 but server only supports protocol 1 or higher",
        with("0"));
    assertRefused(
        "0A000",
        "client sent proto_version=5 but server only supports protocol 4 or lower",
        with("5"));
    assertRefused("22023", "invalid proto_version", with("x"));
    assertRefused("22023", "invalid proto_version", with(""));
    assertRefused("22023", "proto_version \"4294967296\" out of range", with("4294967296"));
    assertRefused(
        "22023",
        "requested proto_version=1 does not support streaming, need 2 or higher",
        with("1", "streaming", "on"));
    assertRefused(
        "22023",
        "requested proto_version=3 does not support parallel streaming, need 4 or higher",
        with("3", "streaming", "parallel"));
    assertRefused(
        "22023",
        "requested proto_version=2 does not support two-phase commit, need 3 or higher",
        with("2", "two_phase", "on"));
    assertRefused(
        "42601",
        "streaming requires a Boolean value or \"parallel\"",
        with("4", "streaming", "maybe"));
    assertRefused("42601", "binary requires a Boolean value", with("1", "binary", "maybe"));
    assertRefused("42601", "messages requires a Boolean value", with("1", "messages", "2"));
    assertRefused("22023", "unrecognized origin value: \"local\"", with("1", "origin", "local"));
    assertRefused(
        "42602", "invalid publication_names syntax", with("1", "publication_names", "p p"));
    assertRefused(
        "42602", "invalid publication_names syntax", with("1", "publication_names", "P Case"));
    assertRefused("XX000", "unrecognized pgoutput option: other", with("1", "other", "x"));
    assertRefused("22023", "option \"proto_version\" missing", options("publication_names", "p"));
    assertRefused("22023", "option \"publication_names\" missing", options("proto_version", "1"));
  }

  @Test
  @DisplayName("Every option and its default is accepted")
  void acceptedOptions() {
    assertThat(PgOutputOptions.parse(with("1", "binary", "1")).binary()).isTrue();
    PgOutputOptions defaults =
        PgOutputOptions.parse(
            with(
                "4",
                "streaming",
                "off",
                "two_phase",
                "false",
                "binary",
                "0",
                "origin",
                "Any",
                "messages",
                "on"));
    assertThat(defaults.messages()).isTrue();
    assertThat(defaults.protoVersion()).isEqualTo(4);
  }

  @Test
  @DisplayName("streaming is a Boolean or parallel, in any case")
  void streaming() {
    assertThat(PgOutputOptions.parse(with("2", "streaming", "ON")).streaming())
        .isEqualTo(PgOutputOptions.Streaming.ON);
    assertThat(PgOutputOptions.parse(with("4", "streaming", "Parallel")).streaming())
        .isEqualTo(PgOutputOptions.Streaming.PARALLEL);
    assertThat(PgOutputOptions.parse(with("1", "streaming", "false")).streaming())
        .isEqualTo(PgOutputOptions.Streaming.OFF);
  }

  @Test
  @DisplayName("publication_names is a list of identifiers: folded unless quoted")
  void publicationNames() {
    assertNames(" P ", "p");
    assertNames("p,p", "p");
    assertNames("", new String[0]);
    assertNames("\"Test_Uppercase\" , b", "Test_Uppercase", "b");
    assertNames("\"P Case\",\"a\"\"b,c\"", "P Case", "a\"b,c");
    assertNames("ÄB", "Äb");
    assertNames("x".repeat(70), "x".repeat(63));
  }

  private static void assertNames(String text, String... expected) {
    assertThat(PgOutputOptions.parse(with("1", "publication_names", text)).publicationNames())
        .isEqualTo(List.of(expected));
  }
}
