package dev.millrace.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.replication.ReplicationCommand.AlterReplicationSlot;
import dev.millrace.replication.ReplicationCommand.CopyToStdout;
import dev.millrace.replication.ReplicationCommand.CreateReplicationSlot;
import dev.millrace.replication.ReplicationCommand.DropReplicationSlot;
import dev.millrace.replication.ReplicationCommand.IdentifySystem;
import dev.millrace.replication.ReplicationCommand.ReadReplicationSlot;
import dev.millrace.replication.ReplicationCommand.Show;
import dev.millrace.replication.ReplicationCommand.Sql;
import dev.millrace.replication.ReplicationCommand.StartLogicalReplication;
import dev.millrace.replication.ReplicationCommand.StartPhysicalReplication;
import dev.millrace.sql.ParsedStatement;
import dev.millrace.sql.ParsedStatement.TransactionControl;
import dev.millrace.sql.TransactionBackend.IsolationLevel;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Commands of a walsender session")
class ReplicationCommandParserTest {

  private static ReplicationCommand parse(String text) {
    return ReplicationCommandParser.parse(text);
  }

  @Test
  @DisplayName("commands without arguments")
  void simple() {
    assertThat(parse("IDENTIFY_SYSTEM")).isEqualTo(new IdentifySystem());
    assertThat(parse(" identify_system ; ")).isEqualTo(new IdentifySystem());
    assertThat(parse("SHOW data_directory_mode")).isEqualTo(new Show("data_directory_mode"));
    assertThat(parse("READ_REPLICATION_SLOT s1")).isEqualTo(new ReadReplicationSlot("s1"));
  }

  @Test
  @DisplayName("CREATE_REPLICATION_SLOT as PostgreSQL 15 to 18 and pg_recvlogical write it")
  void createSlot() {
    assertThat(parse("CREATE_REPLICATION_SLOT \"s1\" LOGICAL pgoutput (SNAPSHOT 'nothing')"))
        .isEqualTo(
            new CreateReplicationSlot("s1", false, "pgoutput", Map.of("snapshot", "nothing")));
    assertThat(
            parse("CREATE_REPLICATION_SLOT \"s1\" LOGICAL pgoutput (FAILOVER, SNAPSHOT 'nothing')"))
        .isEqualTo(
            new CreateReplicationSlot(
                "s1", false, "pgoutput", Map.of("failover", "", "snapshot", "nothing")));
    assertThat(
            parse(
                "CREATE_REPLICATION_SLOT \"rv\" LOGICAL \"test_decoding\" ( TWO_PHASE,  SNAPSHOT"
                    + " 'nothing')"))
        .isEqualTo(
            new CreateReplicationSlot(
                "rv", false, "test_decoding", Map.of("two_phase", "", "snapshot", "nothing")));
    assertThat(parse("CREATE_REPLICATION_SLOT s TEMPORARY LOGICAL pgoutput USE_SNAPSHOT TWO_PHASE"))
        .isEqualTo(
            new CreateReplicationSlot(
                "s", true, "pgoutput", Map.of("snapshot", "use", "two_phase", "")));
    assertThat(parse("CREATE_REPLICATION_SLOT S PHYSICAL RESERVE_WAL"))
        .isEqualTo(new CreateReplicationSlot("s", false, null, Map.of("reserve_wal", "")));
    assertThat(parse("CREATE_REPLICATION_SLOT \"S\" PHYSICAL"))
        .isEqualTo(new CreateReplicationSlot("S", false, null, Map.of()));
  }

  @Test
  @DisplayName("ALTER_ and DROP_REPLICATION_SLOT")
  void alterAndDrop() {
    assertThat(parse("ALTER_REPLICATION_SLOT s (FAILOVER true, TWO_PHASE 'false')"))
        .isEqualTo(new AlterReplicationSlot("s", Map.of("failover", "true", "two_phase", "false")));
    assertThat(parse("DROP_REPLICATION_SLOT pg_16392_sync_16384_7451234567890123456 WAIT"))
        .isEqualTo(new DropReplicationSlot("pg_16392_sync_16384_7451234567890123456", true));
    assertThat(parse("DROP_REPLICATION_SLOT s;")).isEqualTo(new DropReplicationSlot("s", false));
  }

  @Test
  @DisplayName("START_REPLICATION LOGICAL with the options of a subscription and of pg_recvlogical")
  void startLogical() {
    StartLogicalReplication start =
        (StartLogicalReplication)
            parse(
                "START_REPLICATION SLOT \"s1\" LOGICAL 0/0 (proto_version '4', streaming"
                    + " 'parallel', two_phase 'on', origin 'any', publication_names '\"p1\"',"
                    + " binary 'true')");
    assertThat(start.slot()).isEqualTo("s1");
    assertThat(start.startLsn()).isZero();
    assertThat(start.options().keySet())
        .containsExactly(
            "proto_version", "streaming", "two_phase", "origin", "publication_names", "binary");
    assertThat(start.options()).containsEntry("publication_names", "\"p1\"");
    assertThat(parse("START_REPLICATION SLOT \"rv\" LOGICAL 0/8768B58 (\"include-xids\" '0')"))
        .isEqualTo(new StartLogicalReplication("rv", 0x8768B58L, Map.of("include-xids", "0")));
  }

  @ParameterizedTest
  @CsvSource({
    "0/0,0",
    "0/1E5,1e5",
    "1F/ABCDEF01,1fabcdef01",
    "A/0,a00000000",
    "FFFFFFFF/FFFFFFFF,ffffffffffffffff",
    "16B1970/E0,16b1970000000e0",
    "0/16B1970,16b1970"
  })
  @DisplayName("an LSN in every form the digits can take")
  void lsnForms(String lsn, String hexadecimal) {
    long expected = Long.parseUnsignedLong(hexadecimal, 16);
    StartLogicalReplication start =
        (StartLogicalReplication) parse("START_REPLICATION SLOT s LOGICAL " + lsn + "(a 'b')");
    assertThat(start.startLsn()).isEqualTo(expected);
    assertThat(parse("START_REPLICATION " + lsn))
        .isEqualTo(new StartPhysicalReplication(null, expected, 0));
  }

  @Test
  @DisplayName("START_REPLICATION PHYSICAL with and without slot and timeline")
  void startPhysical() {
    assertThat(parse("START_REPLICATION SLOT s PHYSICAL 0/3000000 TIMELINE 2"))
        .isEqualTo(new StartPhysicalReplication("s", 0x3000000L, 2));
    assertThat(parse("START_REPLICATION PHYSICAL 0/3000000"))
        .isEqualTo(new StartPhysicalReplication(null, 0x3000000L, 0));
  }

  @Test
  @DisplayName("COPY of a table, of columns, of a query")
  void copy() {
    assertThat(parse("COPY public.t1 (id, \"Na me\", data) TO STDOUT"))
        .isEqualTo(
            new CopyToStdout(
                new QualifiedName("public", "t1"), List.of("id", "Na me", "data"), null, Map.of()));
    assertThat(parse("COPY t1 TO STDOUT WITH (FORMAT binary)"))
        .isEqualTo(
            new CopyToStdout(
                new QualifiedName("public", "t1"), null, null, Map.of("format", "binary")));
    assertThat(
            parse(
                "  COPY (SELECT id FROM ONLY public.t1 WHERE (a > ')') OR (b)) TO STDOUT"
                    + " (FORMAT 'text')"))
        .isEqualTo(
            new CopyToStdout(
                null,
                null,
                "SELECT id FROM ONLY public.t1 WHERE (a > ')') OR (b)",
                Map.of("format", "text")));
  }

  @Test
  @DisplayName("what begins with no replication keyword is SQL")
  void sql() {
    Sql begin = (Sql) parse("BEGIN READ ONLY ISOLATION LEVEL REPEATABLE READ");
    TransactionControl control = (TransactionControl) begin.statement();
    assertThat(control.isolation()).isEqualTo(IsolationLevel.REPEATABLE_READ);
    assertThat(control.readOnly()).isTrue();
    Sql query = (Sql) parse("SELECT pubname FROM pg_publication WHERE pubname IN ('a', 'b');");
    assertThat(query.statement()).isInstanceOf(ParsedStatement.Query.class);
    assertThat(((Sql) parse("COMMIT")).statement()).isInstanceOf(TransactionControl.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ";",
        "FROBNICATE",
        "IDENTIFY_SYSTEM now",
        "CREATE_REPLICATION_SLOT",
        "CREATE_REPLICATION_SLOT s",
        "CREATE_REPLICATION_SLOT s LOGICAL",
        "CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'use', SNAPSHOT 'use')",
        "CREATE_REPLICATION_SLOT s LOGICAL pgoutput USE_SNAPSHOT EXPORT_SNAPSHOT",
        "CREATE_REPLICATION_SLOT s LOGICAL pgoutput RESERVE_WAL",
        "CREATE_REPLICATION_SLOT s LOGICAL pgoutput (SNAPSHOT 'use'",
        "START_REPLICATION SLOT s LOGICAL",
        "START_REPLICATION SLOT s LOGICAL 0",
        "START_REPLICATION SLOT s LOGICAL 0/",
        "START_REPLICATION SLOT s LOGICAL 0/G",
        "START_REPLICATION SLOT s LOGICAL 0/123456789",
        "START_REPLICATION SLOT s LOGICAL 0 / 0",
        "START_REPLICATION SLOT s LOGICAL 0/0 proto_version '1'",
        "START_REPLICATION SLOT s LOGICAL 0/0 (a 'b', )",
        "START_REPLICATION SLOT s LOGICAL 0/0 (a 'b', a 'c')",
        "START_REPLICATION LOGICAL 0/0",
        "START_REPLICATION SLOT s PHYSICAL 0/0 TIMELINE 0",
        "DROP_REPLICATION_SLOT",
        "DROP_REPLICATION_SLOT a b",
        "COPY t1",
        "COPY t1 TO STDIN",
        "COPY (SELECT 1 TO STDOUT",
        "SELECT 1; SELECT 2",
        "SHOW"
      })
  @DisplayName("what is no command is a syntax error")
  void syntaxErrors(String text) {
    assertThatThrownBy(() -> parse(text))
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.sqlState()).isEqualTo("42601"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"BASE_BACKUP", "TIMELINE_HISTORY 1", "COPY t FROM STDIN", "COPY t TO '/tmp/x'"})
  @DisplayName("what is not built is refused by name")
  void refused(String text) {
    assertThatThrownBy(() -> parse(text))
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.sqlState()).isEqualTo("0A000"));
  }

  @Test
  @DisplayName("options written by a client are read back alike")
  void optionsRoundTrip() {
    Map<String, String> options =
        new java.util.LinkedHashMap<>(
            Map.of("publication_names", "\"it's\",\"p,2\"", "include-xids", "1"));
    StartLogicalReplication start =
        (StartLogicalReplication)
            parse(
                "START_REPLICATION SLOT s LOGICAL 0/0 "
                    + ReplicationCommandParser.formatOptions(options));
    assertThat(start.options()).isEqualTo(options);
  }
}
