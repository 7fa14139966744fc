package dev.millrace.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("O2: values in PostgreSQL's binary form, as its send functions write them")
class BinaryFormTest {

  private static String binary(String type, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    ByteBuilder out = new ByteBuilder(16);
    BinaryForm.of(PgType.byName(type).oid()).write(utf8, 0, utf8.length, out);
    return HexFormat.of().formatHex(out.array(), 0, out.size());
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "date | 0044-03-15 BC | fff49d7b",
        "date | 5874897-12-31 | 7fda970c",
        "date | infinity | 7fffffff",
        "time | 24:00:00 | 000000141dd76000",
        "timetz | 00:00:00.1-15:59 | 00000000000186a00000e0c4",
        "timetz | 01:02:03.12+05:30:15 | 00000000ddea4d80ffffb299",
        "timestamp | 294276-12-31 23:59:59.999999 | 7fffff5bb3b29fff",
        "timestamptz | 4713-01-01 00:00:00+00 BC | fd0f7fbdaf17e000",
        "timestamptz | -infinity | 8000000000000000",
        "interval | 1 year 2 mons 3 days 04:05:06.789 | 000000036c97ca88000000030000000e",
        "numeric | NaN | 00000000c0000000",
        "numeric | -Infinity | 00000000f0000020",
        "numeric | -0.000000000000000000001 | 0001fffa4000001503e8",
        "numeric | 99999999.99 | 0003000100000002270f270f26ac",
        "numeric | 0.00 | 0000000000000002",
        "jsonb | null | 016e756c6c",
        "int[] | {1,NULL,3} | 00000001000000010000001700000003000000010000000400000001ffffffff0000000400000003",
        "int[] | {} | 000000000000000000000017",
        "inet | ::1 | 0380001000000000000000000000000000000001",
        "cidr | 10.0.0.0/8 | 020801040a000000",
        "bit | 10101 | 00000005a8",
        "pg_lsn | 16/B374D848 | 00000016b374d848"
      })
  @DisplayName("the bytes are those of the captures")
  void bytes(String type, String text, String hex) {
    assertThat(binary(type, text)).isEqualTo(hex);
  }

  @Test
  @DisplayName("types without a converter have none, and what is no value of the type is an error")
  void others() {
    assertThat(BinaryForm.of(PgType.byName("point").oid())).isNull();
    assertThat(BinaryForm.of(123456)).isNull();
    assertThatThrownBy(() -> binary("int", "x")).isInstanceOf(PgException.class);
  }
}
