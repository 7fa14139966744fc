package dev.millrace.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.settings.SettingDefinition;
import dev.millrace.settings.Settings;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A session behaves as PostgreSQL's simple query protocol")
class SimpleQuerySessionTest {

  private final RecordingBackend backend = new RecordingBackend();
  private final SimpleQuerySession session =
      new SimpleQuerySession(7, backend, SqlOptions.PLAIN, settings());

  private static Settings settings() {
    SettingDefinition definition =
        new SettingDefinition(
            "work_area",
            SettingDefinition.Type.INTEGER,
            null,
            "1",
            SettingDefinition.Context.USER,
            "For the test.",
            0L,
            100L,
            null);
    return new Settings(List.of(definition), Map.of()).forSession();
  }

  private SqlResponse run(String sql) {
    return session.execute(sql, List.of());
  }

  private List<String> commands(String sql) {
    return run(sql).results().stream().map(StatementResult::command).toList();
  }

  private List<String> warnings(String sql) {
    return run(sql).notices().stream().map(Notice::message).toList();
  }

  private void fails(String sqlState, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.sqlState()).isEqualTo(sqlState));
  }

  @Nested
  @DisplayName("without a block")
  class Implicit {

    @Test
    @DisplayName("one statement is one transaction")
    void single() {
      SqlResponse response = run("SELECT 1");
      assertThat(backend.take()).containsExactly("begin", "SELECT 1 [alone]", "commit");
      assertThat(response.status()).isEqualTo(TransactionStatus.IDLE);
    }

    @Test
    @DisplayName("several statements share one, and an error undoes them all")
    void several() {
      run("SELECT 1; SELECT 2");
      assertThat(backend.take()).containsExactly("begin", "SELECT 1", "SELECT 2", "commit");
      fails("22012", () -> run("SELECT 1; SELECT 'FAIL'; SELECT 3"));
      assertThat(backend.take()).containsExactly("begin", "SELECT 1", "SELECT 'FAIL'", "rollback");
      assertThat(session.status()).isEqualTo(TransactionStatus.IDLE);
    }

    @Test
    @DisplayName("a syntax error anywhere leaves nothing done")
    void syntaxError() {
      fails("42601", () -> run("SELECT 1; SELEC 2"));
      assertThat(backend.take()).isEmpty();
    }

    @Test
    @DisplayName("nothing to run begins nothing")
    void empty() {
      assertThat(run(" ; ").results()).isEmpty();
      assertThat(backend.take()).isEmpty();
    }

    @Test
    @DisplayName("BEGIN in the middle takes in what ran before it")
    void beginInTheMiddle() {
      assertThat(commands("SELECT 1; BEGIN; SELECT 2; COMMIT; SELECT 3"))
          .containsExactly("DONE", "BEGIN", "DONE", "COMMIT", "DONE");
      assertThat(backend.take())
          .containsExactly(
              "begin", "SELECT 1", "SELECT 2 [block]", "commit", "begin", "SELECT 3", "commit");
    }

    @Test
    @DisplayName("COMMIT and ROLLBACK in the middle end it with a warning")
    void endInTheMiddle() {
      assertThat(warnings("SELECT 1; COMMIT; SELECT 2; ROLLBACK; SELECT 3"))
          .containsExactly(
              "there is no transaction in progress", "there is no transaction in progress");
      assertThat(backend.take())
          .containsExactly(
              "begin",
              "SELECT 1",
              "commit",
              "begin",
              "SELECT 2",
              "rollback",
              "begin",
              "SELECT 3",
              "commit");
    }

    @Test
    @DisplayName("what ran before an inner COMMIT stays when a later statement fails")
    void committedPartStays() {
      fails("22012", () -> run("BEGIN; SELECT 1; COMMIT; SELECT 2; SELECT 'FAIL'"));
      assertThat(backend.take())
          .containsExactly(
              "begin",
              "SELECT 1 [block]",
              "commit",
              "begin",
              "SELECT 2",
              "SELECT 'FAIL'",
              "rollback");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SAVEPOINT a", "ROLLBACK TO a", "RELEASE a", "SELECT 1; SAVEPOINT a"})
    @DisplayName("savepoints need a block")
    void savepointsNeedABlock(String sql) {
      fails("25P01", () -> run(sql));
    }

    @Test
    @DisplayName("COMMIT AND CHAIN needs a block")
    void chainNeedsABlock() {
      assertThatThrownBy(() -> run("COMMIT AND CHAIN"))
          .hasMessage("COMMIT AND CHAIN can only be used in transaction blocks");
    }

    @Test
    @DisplayName("an error of the commit is the call's error")
    void commitFails() {
      backend.commitFails = true;
      fails("58030", () -> run("SELECT 1"));
      assertThat(session.status()).isEqualTo(TransactionStatus.IDLE);
      assertThat(backend.take()).containsExactly("begin", "SELECT 1 [alone]", "commit");
    }
  }

  @Nested
  @DisplayName("in a block")
  class Block {

    @Test
    @DisplayName("the transaction lasts over several calls")
    void overCalls() {
      assertThat(run("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY").status())
          .isEqualTo(TransactionStatus.IN_TRANSACTION);
      run("SELECT 1");
      assertThat(commands("END")).containsExactly("COMMIT");
      assertThat(backend.take())
          .containsExactly("begin REPEATABLE_READ ro", "SELECT 1 [block] [alone]", "commit");
      assertThat(session.status()).isEqualTo(TransactionStatus.IDLE);
    }

    @Test
    @DisplayName("a second BEGIN warns")
    void secondBegin() {
      run("BEGIN");
      assertThat(warnings("BEGIN")).containsExactly("there is already a transaction in progress");
      assertThat(backend.take()).containsExactly("begin");
    }

    @Test
    @DisplayName("an error fails it: nothing runs until its end, COMMIT answers ROLLBACK")
    void failed() {
      run("BEGIN");
      fails("22012", () -> run("SELECT 'FAIL'"));
      assertThat(session.status()).isEqualTo(TransactionStatus.FAILED);
      assertThatThrownBy(() -> run("SELECT 1"))
          .hasMessage(
              "current transaction is aborted, commands ignored until end of transaction block");
      fails("25P02", () -> run("BEGIN"));
      fails("25P02", () -> run("SAVEPOINT a"));
      fails("25P02", () -> run("SHOW work_area"));
      fails("42601", () -> run("SELEC"));
      assertThat(session.status()).isEqualTo(TransactionStatus.FAILED);
      assertThat(commands("COMMIT")).containsExactly("ROLLBACK");
      assertThat(session.status()).isEqualTo(TransactionStatus.IDLE);
    }

    @Test
    @DisplayName("a failed block without savepoints frees its locks at once")
    void failedIsRolledBackAtOnce() {
      run("BEGIN");
      fails("22012", () -> run("SELECT 'FAIL'"));
      assertThat(backend.take())
          .containsExactly("begin", "SELECT 'FAIL' [block] [alone]", "rollback");
      run("ROLLBACK");
      assertThat(backend.take()).isEmpty();
    }

    @Test
    @DisplayName("a syntax error fails it too")
    void syntaxError() {
      run("BEGIN");
      fails("42601", () -> run("SELEC 1"));
      assertThat(session.status()).isEqualTo(TransactionStatus.FAILED);
    }

    @Test
    @DisplayName("ROLLBACK TO brings a failed block back, shadowed names by the innermost")
    void savepoints() {
      run("BEGIN; SAVEPOINT a; SAVEPOINT b; SAVEPOINT a");
      fails("22012", () -> run("SELECT 'FAIL'"));
      assertThat(session.status()).isEqualTo(TransactionStatus.FAILED);
      assertThat(run("ROLLBACK TO a").status()).isEqualTo(TransactionStatus.IN_TRANSACTION);
      run("RELEASE a");
      run("ROLLBACK TO a; ROLLBACK TO SAVEPOINT a");
      assertThatThrownBy(() -> run("ROLLBACK TO b")).hasMessage("savepoint \"b\" does not exist");
      assertThat(session.status()).isEqualTo(TransactionStatus.FAILED);
      run("ROLLBACK");
      assertThat(backend.take())
          .containsExactly(
              "begin",
              "savepoint 1",
              "savepoint 2",
              "savepoint 3",
              "SELECT 'FAIL' [block] [alone]",
              "rollback to 3",
              "release 3",
              "rollback to 1",
              "rollback to 1",
              "rollback");
    }

    @Test
    @DisplayName("RELEASE takes the savepoints set after it along")
    void release() {
      run("BEGIN; SAVEPOINT a; SAVEPOINT b; RELEASE a");
      fails("3B001", () -> run("ROLLBACK TO b"));
      assertThat(session.status()).isEqualTo(TransactionStatus.FAILED);
    }

    @Test
    @DisplayName("savepoint names fold unless quoted")
    void savepointNames() {
      run("BEGIN; SAVEPOINT \"A\"; SAVEPOINT Abc");
      fails("3B001", () -> run("RELEASE A"));
      run("ROLLBACK TO abc; RELEASE ABC; RELEASE \"A\"");
      assertThat(session.status()).isEqualTo(TransactionStatus.IN_TRANSACTION);
    }

    @Test
    @DisplayName(
        "when the database has lost the whole transaction there is no way back to a savepoint")
    void lost() {
      run("BEGIN; SAVEPOINT a");
      fails("22012", () -> run("SELECT 'FAIL'"));
      backend.savepointsLost = true;
      fails("40001", () -> run("ROLLBACK TO a"));
      assertThat(session.status()).isEqualTo(TransactionStatus.FAILED);
      assertThat(commands("COMMIT")).containsExactly("ROLLBACK");
    }

    @Test
    @DisplayName("COMMIT AND CHAIN begins the next with the same modes")
    void chain() {
      run("START TRANSACTION ISOLATION LEVEL SERIALIZABLE");
      assertThat(run("COMMIT AND CHAIN").status()).isEqualTo(TransactionStatus.IN_TRANSACTION);
      run("ROLLBACK");
      assertThat(backend.take())
          .containsExactly("begin SERIALIZABLE", "commit", "begin SERIALIZABLE", "rollback");
    }

    @Test
    @DisplayName("SET TRANSACTION works before the first statement only")
    void setTransaction() {
      run("BEGIN; SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
      run("SELECT 1");
      assertThatThrownBy(() -> run("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"))
          .hasMessage("SET TRANSACTION ISOLATION LEVEL must be called before any query");
      assertThat(backend.take())
          .containsExactly(
              "begin", "rollback", "begin REPEATABLE_READ", "SELECT 1 [block] [alone]", "rollback");
      run("ROLLBACK");
      assertThat(warnings("SET TRANSACTION READ ONLY"))
          .containsExactly("SET TRANSACTION can only be used in transaction blocks");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "CREATE TABLE t (a int)",
          "ALTER TABLE t ADD b int",
          "DROP TABLE t",
          "CREATE INDEX ON t (a)",
          "CREATE SCHEMA s",
          "CREATE TABLE t AS SELECT 1 AS a",
          "VACUUM"
        })
    @DisplayName("DDL is refused, and fails the block")
    void ddl(String sql) {
      run("BEGIN");
      assertThatThrownBy(() -> run(sql))
          .hasMessageEndingWith(" cannot run inside a transaction block");
      assertThat(session.status()).isEqualTo(TransactionStatus.FAILED);
      assertThat(backend.take()).containsExactly("begin", "rollback");
    }

    @Test
    @DisplayName("publication commands and REPLICA IDENTITY are not DDL in this sense")
    void catalogueCommands() {
      run("BEGIN; CREATE PUBLICATION p; ALTER TABLE t REPLICA IDENTITY FULL; COMMIT");
      assertThat(backend.take())
          .containsExactly(
              "begin",
              "CREATE PUBLICATION p [block]",
              "ALTER TABLE t REPLICA IDENTITY FULL [block]",
              "commit");
    }

    @Test
    @DisplayName("closing rolls back")
    void close() {
      run("BEGIN");
      session.close();
      assertThat(backend.take()).containsExactly("begin", "rollback", "close");
    }
  }

  @Nested
  @DisplayName("settings")
  class SettingsOfASession {

    private Object shown() {
      return run("SHOW work_area").results().get(0).rows().get(0).get(0);
    }

    @Test
    @DisplayName("SET lasts, RESET takes it back")
    void setAndReset() {
      assertThat(commands("SET work_area = 5")).containsExactly("SET");
      assertThat(shown()).isEqualTo("5");
      assertThat(commands("RESET work_area")).containsExactly("RESET");
      assertThat(shown()).isEqualTo("1");
      fails("42704", () -> run("SHOW nothing_such"));
      fails("22023", () -> run("SET work_area = 101"));
    }

    @Test
    @DisplayName("SET in a block goes with its rollback, SET LOCAL with its end")
    void transactional() {
      run("BEGIN; SET work_area = 6");
      assertThat(shown()).isEqualTo("6");
      run("ROLLBACK");
      assertThat(shown()).isEqualTo("1");
      run("BEGIN; SET LOCAL work_area = 7");
      assertThat(shown()).isEqualTo("7");
      run("COMMIT");
      assertThat(shown()).isEqualTo("1");
      fails("22012", () -> run("SET work_area = 8; SELECT 'FAIL'"));
      assertThat(shown()).isEqualTo("1");
    }

    @Test
    @DisplayName("SET LOCAL outside a block warns and does nothing")
    void localOutside() {
      assertThat(warnings("SET LOCAL work_area = 9"))
          .containsExactly("SET LOCAL can only be used in transaction blocks");
      assertThat(shown()).isEqualTo("1");
    }

    @Test
    @DisplayName("SHOW knows the running transaction's isolation")
    void isolation() {
      run("BEGIN ISOLATION LEVEL REPEATABLE READ");
      assertThat(run("SHOW TRANSACTION ISOLATION LEVEL").results().get(0).rows())
          .isEqualTo(List.of(List.of("repeatable read")));
    }
  }

  @Test
  @DisplayName("parameters go with a single statement only")
  void parameters() {
    session.execute("SELECT $1", List.of(5));
    assertThat(backend.take()).containsExactly("begin", "SELECT $1 [alone] [5]", "commit");
    assertThatThrownBy(() -> session.execute("SELECT $1; SELECT 2", List.of(5)))
        .hasMessage("cannot insert multiple commands into a prepared statement");
  }

  @Test
  @DisplayName("a backend without prepared transactions refuses them and is left with none open")
  void twoPhaseRefused() {
    backend.refusesPrepare = true;
    fails("0A000", () -> run("COMMIT PREPARED 'g'"));
    run("BEGIN");
    fails("0A000", () -> run("PREPARE TRANSACTION 'g'"));
    assertThat(session.status()).isEqualTo(TransactionStatus.IDLE);
    assertThat(backend.take()).containsExactly("begin", "rollback");
  }

  @Test
  @DisplayName("PREPARE TRANSACTION ends the block; a failed one is rolled back instead")
  void prepare() {
    assertThat(commands("BEGIN; PREPARE TRANSACTION 'it''s'"))
        .containsExactly("BEGIN", "PREPARE TRANSACTION");
    assertThat(session.status()).isEqualTo(TransactionStatus.IDLE);
    assertThat(backend.take()).containsExactly("begin", "prepare it's");
    run("BEGIN");
    fails("22012", () -> run("SELECT FAIL"));
    assertThat(commands("PREPARE TRANSACTION 'g'")).containsExactly("ROLLBACK");
    assertThat(backend.take()).doesNotContain("prepare g");
    assertThat(run("PREPARE TRANSACTION 'g'").notices())
        .extracting(Notice::message)
        .containsExactly("there is no transaction in progress");
    assertThat(backend.take()).isEmpty();
  }

  @Test
  @DisplayName("COMMIT PREPARED and ROLLBACK PREPARED stand alone and outside of blocks")
  void finishPrepared() {
    run("COMMIT PREPARED 'g'");
    run("ROLLBACK PREPARED 'g'");
    assertThat(backend.take()).containsExactly("commit prepared g", "rollback prepared g");
    fails("25001", () -> run("SELECT 1; COMMIT PREPARED 'g'"));
    run("BEGIN");
    fails("25001", () -> run("ROLLBACK PREPARED 'g'"));
    assertThat(session.status()).isEqualTo(TransactionStatus.FAILED);
    fails("25P02", () -> run("COMMIT PREPARED 'g'"));
  }

  @Test
  @DisplayName("CREATE TABLE AS is the empty table and then its rows, and no table when they fail")
  void createTableAs() {
    run("CREATE TABLE t AS SELECT 1 AS a");
    assertThat(backend.take())
        .containsExactly(
            "begin",
            "CREATE TABLE t AS SELECT 1 AS a",
            "CREATE TABLE t AS SELECT 1 AS a [alone]",
            "commit");
  }
}
