package dev.millrace.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import dev.millrace.sql.SettingRows;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

@DisplayName("Settings of a node and of its sessions")
class SettingsTest {

  private final Settings settings = new Settings(SettingTable.definitions(), Map.of());

  @ParameterizedTest(name = "{0} = {1}")
  @CsvSource({
    "max_replication_slots, 10",
    "wal_level, logical",
    "wal_keep_size, 0",
    "max_slot_wal_keep_size, -1",
    "wal_sender_timeout, 1min",
    "logical_decoding_work_mem, 64MB",
    "synchronous_commit, on",
    "wal_segment_size, 16MB",
    "checkpoint_timeout, 5min",
    "max_wal_size, 1GB",
    "wal_receiver_status_interval, 10s",
    "wal_retrieve_retry_interval, 5s",
    "max_sync_workers_per_subscription, 2",
    "max_active_replication_origins, 10",
    "idle_session_timeout, 10min",
    "deadlock_timeout, 1s",
    "hot_standby, on",
    "DateStyle, 'ISO, MDY'"
  })
  @DisplayName("the defaults are PostgreSQL's, shown in readable units")
  void defaults(String name, String shown) {
    assertThat(settings.show(name)).isEqualTo(shown);
  }

  @ParameterizedTest(name = "{0} = {1}: {2}")
  @CsvSource({
    "logical_decoding_work_mem, 64kB, 64, 65536",
    "logical_decoding_work_mem, 1.5GB, 1572864, 1610612736",
    "logical_decoding_work_mem, 2MB, 2048, 2097152",
    "logical_decoding_work_mem, 100, 100, 102400"
  })
  @DisplayName("sizes take PostgreSQL's units")
  void sizes(String name, String written, String setting, long bytes) {
    settings.set(name, written);
    assertThat(settings.get(name)).isEqualTo(setting);
    assertThat(settings.getBytes(name)).isEqualTo(bytes);
  }

  @ParameterizedTest(name = "{0} = {1}: {2}")
  @CsvSource({
    "wal_sender_timeout, 10s, 10000, 10000",
    "wal_sender_timeout, 2min, 120000, 120000",
    "wal_sender_timeout, 1500us, 2, 2",
    "wal_receiver_status_interval, 1min, 60, 60000",
    "wal_receiver_status_interval, 3, 3, 3000",
    "wal_sender_timeout, 0, 0, 0"
  })
  @DisplayName("times take PostgreSQL's units")
  void times(String name, String written, String setting, long millis) {
    settings.set(name, written);
    assertThat(settings.get(name)).isEqualTo(setting);
    assertThat(settings.getMillis(name)).isEqualTo(millis);
  }

  @Test
  @DisplayName("minus one means none and stays so")
  void minusOne() {
    assertThat(settings.getBytes("max_slot_wal_keep_size")).isEqualTo(-1);
    settings.set("wal_sender_shutdown_timeout", "-1");
    assertThat(settings.getMillis("wal_sender_shutdown_timeout")).isEqualTo(-1);
  }

  @ParameterizedTest(name = "{0} = {1}: {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "nonsense|1|42704|unrecognized configuration parameter \"nonsense\"",
        "wal_keep_size|many|22023|invalid value for parameter \"wal_keep_size\": \"many\"",
        "wal_keep_size|5s|22023|invalid value for parameter \"wal_keep_size\": \"5s\"",
        "logical_decoding_work_mem|1kB|22023|1 kB is outside the valid range for parameter"
            + " \"logical_decoding_work_mem\" (64 kB .. 2147483647 kB)",
        "synchronous_commit|maybe|22023"
            + "|invalid value for parameter \"synchronous_commit\": \"maybe\"",
        "log_replication_commands|2|22023"
            + "|parameter \"log_replication_commands\" requires a Boolean value",
        "max_wal_senders|5|55P02"
            + "|parameter \"max_wal_senders\" cannot be changed without restarting the server",
        "server_version|19|55P02|parameter \"server_version\" cannot be changed",
        "synchronous_standby_names|*|0A000"
            + "|setting \"synchronous_standby_names\" is not supported yet"
      })
  @DisplayName("a bad change is refused in PostgreSQL's words and changes nothing")
  void refused(String name, String value, String sqlState, String message) {
    assertThatThrownBy(() -> settings.set(name, value))
        .isInstanceOfSatisfying(
            PgException.class, error -> assertThat(error.sqlState()).isEqualTo(sqlState))
        .hasMessage(message);
    if (settings.isKnown(name)) {
      assertThat(settings.source(name)).isEqualTo("default");
    }
  }

  @Test
  @DisplayName("the search path may name public only, as names are resolved that way")
  void searchPath() {
    Settings session = settings.forSession();
    session.set("search_path", "");
    session.set("search_path", "public, pg_catalog");
    session.set("search_path", "\"$user\",public");
    assertThatThrownBy(() -> session.set("search_path", "sales, public"))
        .isInstanceOfSatisfying(
            PgException.class, error -> assertThat(error.sqlState()).isEqualTo("0A000"));
    assertThat(session.get("search_path")).isEqualTo("\"$user\",public");
  }

  @Test
  @DisplayName("hints name the units and the values")
  void hints() {
    assertThatThrownBy(() -> settings.set("wal_sender_timeout", "1MB"))
        .isInstanceOfSatisfying(
            PgException.class, error -> assertThat(error.hint()).contains("\"us\", \"ms\""));
    assertThatThrownBy(() -> settings.set("session_replication_role", "x"))
        .isInstanceOfSatisfying(
            PgException.class,
            error ->
                assertThat(error.hint()).isEqualTo("Available values: origin, replica, local."));
  }

  @Test
  @DisplayName("other spellings of on and off are stored as on and off")
  void booleans() {
    settings.set("log_replication_commands", "YES");
    assertThat(settings.getBoolean("log_replication_commands")).isTrue();
    settings.set("synchronous_commit", "false");
    assertThat(settings.get("synchronous_commit")).isEqualTo("off");
    settings.set("Synchronous_Commit", "LOCAL");
    assertThat(settings.get("synchronous_commit")).isEqualTo("local");
  }

  @Test
  @DisplayName("a session sees the node's changes except for what it set itself")
  void sessionOverlay() {
    Settings session = settings.forSession();
    session.set("synchronous_commit", "off");
    session.transactionEnded(true);
    settings.set("lock_timeout", "2s");
    assertThat(session.getMillis("lock_timeout")).isEqualTo(2000);
    assertThat(settings.get("synchronous_commit")).isEqualTo("on");
    settings.set("synchronous_commit", "local");
    assertThat(session.get("synchronous_commit")).isEqualTo("off");
    session.set("synchronous_commit", null);
    assertThat(session.get("synchronous_commit")).isEqualTo("local");
  }

  @Test
  @DisplayName("a session may not set what belongs to the node")
  void sessionContext() {
    Settings session = settings.forSession();
    assertThatThrownBy(() -> session.set("wal_keep_size", "1GB"))
        .hasMessage("parameter \"wal_keep_size\" cannot be changed now");
  }

  @Test
  @DisplayName("SET LOCAL ends with the transaction, SET is undone by a rollback")
  void transactional() {
    Settings session = settings.forSession();
    session.set("lock_timeout", "1s");
    session.transactionEnded(true);
    session.setLocal("lock_timeout", "2s");
    assertThat(session.getMillis("lock_timeout")).isEqualTo(2000);
    session.transactionEnded(true);
    assertThat(session.getMillis("lock_timeout")).isEqualTo(1000);
    session.set("lock_timeout", "3s");
    session.set("lock_timeout", "4s");
    session.set("statement_timeout", "5s");
    session.transactionEnded(false);
    assertThat(session.getMillis("lock_timeout")).isEqualTo(1000);
    assertThat(session.getMillis("statement_timeout")).isZero();
    session.resetAll();
    assertThat(session.getMillis("lock_timeout")).isZero();
  }

  @Test
  @DisplayName("changes survive a restart, the command line prevails over them")
  void persistence(@TempDir Path directory) throws Exception {
    List<SettingDefinition> table = SettingTable.definitions();
    Settings first = new Settings(table, Map.of(), directory);
    first.set("lock_timeout", "7s");
    first.set("application_name", "it's\na \\ name");
    first.set("wal_keep_size", "32MB");
    first.set("wal_keep_size", null);
    Settings second = new Settings(table, Map.of("lock_timeout", "9s"), directory);
    assertThat(second.getMillis("lock_timeout")).isEqualTo(9000);
    assertThat(second.source("lock_timeout")).isEqualTo("command line");
    assertThat(second.get("application_name")).isEqualTo("it's\na \\ name");
    assertThat(second.source("wal_keep_size")).isEqualTo("default");
    Settings third = new Settings(table, Map.of(), directory);
    assertThat(third.getMillis("lock_timeout")).isEqualTo(7000);
    Files.writeString(directory.resolve("millrace.auto.conf"), "lock_timeout 7\n");
    assertThatThrownBy(() -> new Settings(table, Map.of(), directory))
        .hasRootCauseMessage(
            "syntax error in file \""
                + directory.resolve("millrace.auto.conf")
                + "\" near \"lock_timeout 7\"");
  }

  @Test
  @DisplayName("listeners hear of each change by name")
  void listeners() {
    List<String> heard = new ArrayList<>();
    settings.onChange(heard::add);
    settings.set("Lock_Timeout", "1s");
    assertThat(heard).containsExactly("lock_timeout");
  }

  @Test
  @DisplayName("properties and environment variables reach the settings by PostgreSQL's names")
  void binding() {
    StandardEnvironment environment = new StandardEnvironment();
    environment
        .getPropertySources()
        .addFirst(
            new MapPropertySource(
                "commandLine",
                Map.of(
                    "millrace.settings.logical_decoding_work_mem",
                    "64kB",
                    "millrace.settings.max_wal_senders",
                    3)));
    environment
        .getPropertySources()
        .addLast(new MapPropertySource("file", Map.of("millrace.settings.max_wal_senders", "9")));
    assertThat(SettingsConfiguration.given(environment))
        .containsEntry("logical_decoding_work_mem", "64kB")
        .containsEntry("max_wal_senders", "3");
  }

  @Test
  @DisplayName("pg_settings has a row per setting with all of PostgreSQL 18's columns")
  void rows() {
    List<Object[]> rows = SettingRows.of(settings);
    assertThat(rows).hasSize(settings.definitions().size());
    assertThat(rows).allSatisfy(row -> assertThat(row).hasSize(SettingRows.columns().size()));
    Object[] commit =
        rows.stream().filter(row -> row[0].equals("synchronous_commit")).findFirst().orElseThrow();
    assertThat(commit[11]).isEqualTo("{local,remote_write,remote_apply,on,off}");
  }
}
