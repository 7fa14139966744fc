package dev.millrace.publisher.walsender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import dev.millrace.settings.SettingTable;
import dev.millrace.settings.Settings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The options of the replication URL, in PostgreSQL's forms (S11). */
class HandshakeParametersTest {

  private static List<Map.Entry<String, String>> settings(String options) {
    return HandshakeParameters.parse("testdb", null, options).settings();
  }

  @Test
  @DisplayName("-c name=value, -cname=value and --name=value, several of them")
  void forms() {
    assertThat(settings("-c wal_sender_timeout=5s -cstatement_timeout=1 --lock-timeout=2s"))
        .containsExactly(
            Map.entry("wal_sender_timeout", "5s"),
            Map.entry("statement_timeout", "1"),
            Map.entry("lock_timeout", "2s"));
    assertThat(settings("-c DateStyle=ISO,\\ MDY"))
        .containsExactly(Map.entry("DateStyle", "ISO, MDY"));
    assertThat(settings(null)).isEmpty();
    assertThat(settings("  ")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-c", "x", "-c x", "-c =1", "-d x=1", "--x"})
  @DisplayName("another form is refused")
  void refused(String options) {
    assertThatThrownBy(() -> settings(options)).isInstanceOf(PgException.class);
  }

  @Test
  @DisplayName("S11: the settings hold in this session only, and must be known")
  void session() {
    Settings node = new Settings(SettingTable.definitions(), Map.of());
    Settings session =
        HandshakeParameters.parse("testdb", "a", "-c wal_sender_timeout=5s").sessionSettings(node);
    assertThat(session.getMillis("wal_sender_timeout")).isEqualTo(5000);
    assertThat(node.getMillis("wal_sender_timeout")).isEqualTo(60_000);
    assertThatThrownBy(
            () -> HandshakeParameters.parse(null, null, "-c nonsense=1").sessionSettings(node))
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.sqlState()).isEqualTo("42704"));
    assertThatThrownBy(
            () ->
                HandshakeParameters.parse(null, null, "-c max_wal_senders=1").sessionSettings(node))
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.sqlState()).isEqualTo("55P02"));
  }
}
