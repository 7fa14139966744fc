package dev.millrace.subscriber.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.model.PgException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("What ends a worker")
class WorkerEndTest {

  @ParameterizedTest(name = "{0} stopping={1} streaming={2} is {3}")
  @CsvSource({
    // sqlstate, stop asked for, copying or applying, end, counted
    ",      false, true,  FINISHED,        false",
    ",      true,  true,  STOPPED,         false",
    "08006, true,  true,  STOPPED,         false",
    "23505, true,  true,  STOPPED,         false",
    "57P01, true,  true,  STOPPED,         false",
    "08006, false, true,  CONNECTION_LOST, false",
    "08006, false, false, CONNECTION_LOST, false",
    "08001, false, false, CONNECTION_LOST, false",
    "57P01, false, true,  CONNECTION_LOST, false",
    "57P03, false, false, CONNECTION_LOST, false",
    "55006, false, false, NOT_STARTED,     false",
    "42704, false, false, NOT_STARTED,     false",
    "55000, false, false, NOT_STARTED,     false",
    "08P01, false, true,  ERROR,           true",
    "23505, false, true,  ERROR,           true",
    "55000, false, true,  ERROR,           true",
    "22P02, false, true,  ERROR,           true",
    "58030, false, true,  ERROR,           true",
    "XX000, false, true,  ERROR,           true",
    "53100, false, true,  DISK_FULL,       true",
    "53100, false, false, DISK_FULL,       true",
  })
  void table(
      String sqlState, boolean stopping, boolean streaming, WorkerEnd expected, boolean counted) {
    Throwable error = sqlState == null ? null : new PgException(sqlState, "x");
    WorkerEnd end = WorkerEnd.of(error, stopping, streaming);
    assertThat(end).isEqualTo(expected);
    assertThat(end.counted()).isEqualTo(counted);
  }

  @org.junit.jupiter.api.Test
  @DisplayName("only a change that cannot be applied disables the subscription")
  void disables() {
    assertThat(WorkerEnd.values()).filteredOn(WorkerEnd::disables).containsExactly(WorkerEnd.ERROR);
  }

  @org.junit.jupiter.api.Test
  @DisplayName("an unexpected exception while applying is an error")
  void unexpected() {
    assertThat(WorkerEnd.of(new NullPointerException(), false, true)).isEqualTo(WorkerEnd.ERROR);
  }
}
