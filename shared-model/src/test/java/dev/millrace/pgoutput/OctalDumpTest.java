package dev.millrace.pgoutput;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.model.Lsn;
import dev.millrace.model.ReplicaIdentity;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OctalDumpTest {

  /** What {@code pg_recvlogical .. | od -c -A n} printed; it ends each message with a newline. */
  private static final String DUMP =
      """
         B  \\0  \\0  \\0  \\0 001 276 203 270  \\0 002 364 005 301   < 232
       350  \\0  \\0 003  \\b  \\n   R  \\0  \\0   @ 033   p   u   b   l   i
         c  \\0   t   b   l   _   1  \\0   d  \\0 003 001   i   d  \\0  \\0
        \\0  \\0 027 377 377 377 377  \\0   n   a   m   e  \\0  \\0  \\0  \\0
       031 377 377 377 377  \\0   d   a   t   a  \\0  \\0  \\0  \\0 027 377
       377 377 377  \\n   I  \\0  \\0   @ 033   N  \\0 003   t  \\0  \\0  \\0
       001   1   t  \\0  \\0  \\0 005   A   l   i   c   e   t  \\0  \\0  \\0
       001   1  \\n   I  \\0  \\0   @ 033   N  \\0 003   t  \\0  \\0  \\0 001
         2   t  \\0  \\0  \\0 003   B   o   b   t  \\0  \\0  \\0 001   2  \\n
         U  \\0  \\0   @ 033   N  \\0 003   t  \\0  \\0  \\0 001   1   t  \\0
        \\0  \\0 005   A   l   i   c   e   t  \\0  \\0  \\0 002   1   0  \\n
      """;

  private final PgOutputReader reader = new PgOutputReader(false);
  private final byte[] bytes = parse(DUMP);
  private int at;

  @Test
  @DisplayName("12.6.2: the octal dump decodes to the transaction the text tells")
  void decodesTheDump() {
    Begin begin = (Begin) next(21);
    assertThat(Lsn.format(begin.finalLsn())).isEqualTo("0/1BE83B8");
    assertThat(begin.xid()).isEqualTo(776);

    assertThat(next(61))
        .isEqualTo(
            new Relation(
                0,
                16411,
                "public",
                "tbl_1",
                ReplicaIdentity.DEFAULT,
                List.of(
                    new Relation.Column(true, "id", 23, -1),
                    new Relation.Column(false, "name", 25, -1),
                    new Relation.Column(false, "data", 23, -1))));
    assertThat(next(30)).isEqualTo(new Insert(0, 16411, TupleData.ofText("1", "Alice", "1")));
    assertThat(next(28)).isEqualTo(new Insert(0, 16411, TupleData.ofText("2", "Bob", "2")));
    assertThat(next(31))
        .isEqualTo(new Update(0, 16411, (char) 0, null, TupleData.ofText("1", "Alice", "10")));
    assertThat(at).isEqualTo(bytes.length);
  }

  private PgOutputMessage next(int length) {
    PgOutputMessage message = reader.read(bytes, at, length);
    assertThat(bytes[at + length]).isEqualTo((byte) '\n');
    at += length + 1;
    return message;
  }

  private static byte[] parse(String dump) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Arrays.stream(dump.split("\n"))
        .flatMap(line -> Arrays.stream(line.strip().split("\\s+")))
        .forEach(cell -> out.write(octal(cell)));
    return out.toByteArray();
  }

  private static int octal(String cell) {
    return switch (cell) {
      case "\\0" -> 0;
      case "\\b" -> '\b';
      case "\\n" -> '\n';
      default -> cell.length() == 3 ? Integer.parseInt(cell, 8) : cell.charAt(0);
    };
  }
}
