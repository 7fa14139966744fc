package dev.millrace.publisher.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Holds the format of the state file to a fixture: slots made by older builds must load. */
class SlotStateTest {

  private static final String FIXTURE =
      "4d52534c000000010000007c6a6452fb"
          + "00000001"
          + "00027331"
          + "000870676f7574707574"
          + "0006746573746462"
          + "0000000001000028"
          + "0000000001000100"
          + "00000000000002db"
          + "0000"
          + "0000000000000001"
          + "0000000000000002"
          + "0000000000000003"
          + "0000000000000000"
          + "0000000000000000"
          + "0000000000000000"
          + "0000000000000004"
          + "0000000000000005"
          + "0000018bcfe56800";

  private static SlotState state() {
    return new SlotState(
        "s1",
        true,
        false,
        false,
        "pgoutput",
        "testdb",
        0x1000028L,
        0x1000100L,
        731,
        null,
        new long[] {1, 2, 3, 0, 0, 0, 4, 5},
        Instant.ofEpochMilli(1_700_000_000_000L),
        0);
  }

  @Test
  @DisplayName("the state file's bytes are the documented ones")
  void encodes() {
    assertThat(HexFormat.of().formatHex(state().encode())).isEqualTo(FIXTURE);
  }

  @Test
  @DisplayName("a two-phase slot has two_phase_at behind the rest")
  void twoPhase() {
    SlotState plain = state();
    SlotState twoPhase =
        new SlotState(
            plain.name(),
            true,
            true,
            false,
            plain.plugin(),
            plain.database(),
            plain.restartLsn(),
            plain.confirmedFlushLsn(),
            plain.catalogXmin(),
            null,
            plain.counters(),
            plain.statsReset(),
            0x1000200L);
    byte[] bytes = twoPhase.encode();
    assertThat(HexFormat.of().formatHex(bytes)).endsWith("0000000001000200");
    assertThat(bytes).hasSize(state().encode().length + 8);
    assertThat(SlotState.decode(bytes, "state")).usingRecursiveComparison().isEqualTo(twoPhase);
  }

  @Test
  @DisplayName("and are read back as they were written")
  void decodes() {
    SlotState read = SlotState.decode(HexFormat.of().parseHex(FIXTURE), "state");
    assertThat(read).usingRecursiveComparison().isEqualTo(state());
  }
}
