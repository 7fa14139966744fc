package dev.millrace.publisher.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("On disk")
class WalFormatTest {

  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  @Test
  @DisplayName("a record is header, checksum and body exactly as WalFormat draws them")
  void record() {
    WalBatch batch = new WalBatch(16);
    batch.begin(WalRecordType.COMMIT, 3, 840, 839, 16384, 7).putLong(0x0102030405060708L);
    batch.end();
    batch.assignPositions(0x16B1970L);
    String expected =
        "00000028" // length 40
            + "6098AC40" // CRC-32C
            + "00000000016B1970"
            + "00000348"
            + "00000347"
            + "00004000"
            + "0007"
            + "43" // C
            + "03"
            + "0102030405060708";
    assertThat(HEX.formatHex(batch.array(), 0, batch.size())).isEqualTo(expected);
  }

  @Test
  @DisplayName("the type bytes are those of the format's description")
  void types() {
    StringBuilder codes = new StringBuilder();
    for (WalRecordType type : WalRecordType.values()) {
      codes.append((char) type.code());
      assertThat(WalRecordType.of(type.code())).isSameAs(type);
    }
    assertThat(codes).hasToString("IUDTMGQLCAPKRSXF");
    assertThatThrownBy(() -> WalRecordType.of((byte) '?')).isInstanceOf(PgException.class);
    assertThatThrownBy(() -> WalRecordType.of((byte) -1)).isInstanceOf(PgException.class);
  }

  @Test
  @DisplayName("the bodies of PREPARE and of its ends are as their classes draw them")
  void twoPhase() {
    PrepareRecord prepare =
        new PrepareRecord(
            0x0102030405060708L,
            0x1000,
            List.of(841),
            "gé",
            List.of(new PrepareRecord.Lock(16400, false), new PrepareRecord.Lock(~16401, true)),
            List.of(new PrepareRecord.Restart(new QualifiedName("s", "q"), 32)));
    ByteBuilder out = new ByteBuilder(16);
    prepare.encode(out);
    assertThat(HEX.formatHex(out.array(), 0, out.size()))
        .isEqualTo(
            "0102030405060708"
                + "0000000000001000"
                + "00000001"
                + "00000349"
                + "000367C3A9"
                + "00000002"
                + "0000401000"
                + "FFFFBFEE01"
                + "00000001"
                + "0000000000000020"
                + "000173000171");
    assertThat(PrepareRecord.decode(out.array(), 0, out.size())).isEqualTo(prepare);
    FinishPreparedRecord finish =
        new FinishPreparedRecord(1, 2, List.of(841), 0x1234, 0x0102030405060708L, "g");
    out.truncate(0);
    finish.encode(out);
    assertThat(HEX.formatHex(out.array(), 0, out.size()))
        .isEqualTo(
            "0000000000000001"
                + "0000000000000002"
                + "00000001"
                + "00000349"
                + "0000000000001234"
                + "0102030405060708"
                + "000167");
    assertThat(FinishPreparedRecord.decode(out.array(), 0, out.size())).isEqualTo(finish);
  }

  @Test
  @DisplayName("the control file holds its fields at the offsets ControlState draws")
  void controlState() {
    ControlState state =
        new ControlState(
            0x0123456789ABCDEFL,
            1,
            16 << 20,
            0x1000000,
            0x1000123,
            731,
            17384,
            2001,
            0x0A0B0C0DL,
            16384,
            "testdb");
    byte[] bytes = state.encode();
    assertThat(HEX.formatHex(bytes))
        .isEqualTo(
            "4D494C4C52414345"
                + "00000001"
                + "00000001"
                + "0123456789ABCDEF"
                + "00000001"
                + "01000000"
                + "0000000001000000"
                + "0000000001000123"
                + "000002DB"
                + "000043E8"
                + "00000000000007D1"
                + "000000000A0B0C0D"
                + "00004000"
                + "0006"
                + HEX.formatHex("testdb".getBytes(StandardCharsets.UTF_8))
                + "E8785C0D");
    assertThat(ControlState.decode(bytes)).isEqualTo(state);
  }

  @Test
  @DisplayName("a control file with any byte changed or missing is refused")
  void damagedControlState() {
    byte[] good = new ControlState(1, 1, 65536, 2, 3, 4, 5, 6, 7, 8, "testdb").encode();
    for (int i = 0; i < good.length; i++) {
      byte[] bytes = good.clone();
      bytes[i] ^= 1;
      assertThatThrownBy(() -> ControlState.decode(bytes))
          .as("byte %d", i)
          .isInstanceOfSatisfying(
              PgException.class, e -> assertThat(e.sqlState()).isEqualTo("XX001"));
      byte[] cut = java.util.Arrays.copyOf(good, i);
      assertThatThrownBy(() -> ControlState.decode(cut)).isInstanceOf(PgException.class);
    }
  }
}
