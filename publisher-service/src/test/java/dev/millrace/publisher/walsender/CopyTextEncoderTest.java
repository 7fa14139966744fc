package dev.millrace.publisher.walsender;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ColumnDefinition;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** PostgreSQL's COPY text format. */
class CopyTextEncoderTest {

  private static final int TEXT = 25;
  private static final int INT4 = 23;

  private static String row(Object... values) {
    List<ColumnDefinition> columns =
        java.util.Arrays.stream(values)
            .map(
                value ->
                    new ColumnDefinition(
                        1,
                        "c",
                        value instanceof Integer ? INT4 : TEXT,
                        -1,
                        false,
                        (char) 0,
                        (char) 0))
            .toList();
    CopyTextEncoder encoder = new CopyTextEncoder(columns);
    ByteBuilder out = new ByteBuilder(16);
    for (int i = 0; i < values.length; i++) {
      encoder.append(i, values[i], out);
    }
    encoder.endRow(out);
    return new String(out.array(), 0, out.size(), StandardCharsets.UTF_8);
  }

  @Test
  @DisplayName("values are separated by tabs, null is \\N, empty is empty, 'NULL' is itself")
  void plain() {
    assertThat(row(1, "foo", null, "", "NULL")).isEqualTo("1\tfoo\t\\N\t\tNULL\n");
  }

  @Test
  @DisplayName("what would be misread is escaped, so that every row is one line")
  void escapes() {
    assertThat(row("a\tb\nc\rd\\e\bf\fg\u000Bh")).isEqualTo("a\\tb\\nc\\rd\\\\e\\bf\\fg\\vh\n");
    assertThat(row("\\N", "\\.")).isEqualTo("\\\\N\t\\\\.\n");
  }

  @Test
  @DisplayName("text beyond ASCII passes unchanged")
  void unicode() {
    assertThat(row("äöü 漢字 😀\t")).isEqualTo("äöü 漢字 😀\\t\n");
  }
}
