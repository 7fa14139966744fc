package dev.millrace.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("SQL text is cut into tokens by PostgreSQL's rules")
class LexerTest {

  private static List<Token> tokens(String sql) {
    List<Token> tokens = Lexer.tokens(sql);
    assertThat(tokens.get(tokens.size() - 1).kind()).isEqualTo(Token.Kind.END);
    return tokens.subList(0, tokens.size() - 1);
  }

  private static String texts(String sql) {
    return tokens(sql).stream().map(Token::text).collect(Collectors.joining(" "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "a=-1~a = - 1",
        "a<>-1~a <> - 1",
        "a::int[1]~a :: int [ 1 ]",
        "x-->y~x",
        "1..10~1 .. 10",
        ".5+1.e5-2E-3~.5 + 1.e5 - 2E-3",
        "0x1F 1_000~0x1F 1_000",
        "a.b.\"C d\"~a . b . C d",
        "ÄB Ünï x$1~Äb Ünï x$1",
        "'it''s' E'\\n' $$a'b$$ $t$ $$ $t$ n'q'~it's \\n a'b  $$  q",
        "f(a=>1,b:=2)~f ( a => 1 , b := 2 )",
        "a/*x/*y*/z*/b~a b",
        "$1,$22~1 , 22"
      })
  @DisplayName("operators, numbers, names, strings, comments, parameters")
  void cuts(String sql, String expected) {
    assertThat(texts(sql).replace("\n", "\\n").replace("\\n", "\n"))
        .isEqualTo(expected.replace("\\n", "\n"));
  }

  @Test
  @DisplayName("constants on following lines continue a string, on the same line they do not")
  void continuedString() {
    assertThat(texts("'a'\n  'b'")).isEqualTo("ab");
    assertThat(tokens("'a' 'b'")).hasSize(2);
  }

  @Test
  @DisplayName("escape strings: octal and hexadecimal bytes form UTF-8")
  void escapes() {
    assertThat(texts("E'\\303\\251\\xc3\\xa9\\u00e9\\U0001F600\\'\\\\\\q'")).isEqualTo("ééé😀'\\q");
    assertThat(texts("E'\\uD83D\\uDE00'")).isEqualTo("😀");
    assertThatThrownBy(() -> Lexer.tokens("E'\\xff'")).isInstanceOf(PgException.class);
    assertThatThrownBy(() -> Lexer.tokens("E'\\0'")).isInstanceOf(PgException.class);
    assertThatThrownBy(() -> Lexer.tokens("E'\\u12'")).isInstanceOf(PgException.class);
  }

  @Test
  @DisplayName(
      "NUL and half a surrogate pair, which JSON can spell, are refused wherever they stand")
  void encoding() {
    for (String sql :
        List.of("SELECT 'x\0y'", "SELECT 1 \0", "SELECT \"\ud83d\"", "-- \udc00\ud83d")) {
      assertThatThrownBy(() -> Lexer.tokens(sql))
          .isInstanceOfSatisfying(
              PgException.class, e -> assertThat(e.sqlState()).isEqualTo("22021"))
          .hasMessageStartingWith("invalid byte sequence for encoding \"UTF8\": 0x");
    }
    assertThat(texts("'\ud83d\ude00'")).isEqualTo("\ud83d\ude00");
  }

  @Test
  @DisplayName("names are cut to 63 bytes between characters")
  void longNames() {
    assertThat(texts("x".repeat(70))).isEqualTo("x".repeat(63));
    assertThat(texts("\"" + "é".repeat(40) + "\"")).isEqualTo("é".repeat(31));
    assertThat(tokens("x".repeat(63)).get(0).copied()).isTrue();
    assertThat(tokens("x".repeat(64)).get(0).copied()).isFalse();
  }

  @Test
  @DisplayName("whatever is typed gives statements or an error of PostgreSQL's kind")
  void anything() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    String[] pieces = {
      "SELECT",
      "INSERT",
      "INTO",
      "t",
      "VALUES",
      "(",
      ")",
      ",",
      ";",
      "'a'",
      "'",
      "\"",
      "\"q\"",
      "E'",
      "$$",
      "$1",
      "::",
      "int",
      "json",
      "CREATE",
      "TABLE",
      "INDEX",
      "ALTER",
      "DROP",
      "ADD",
      "COLUMN",
      "PUBLICATION",
      "p",
      "FOR",
      "WITH",
      "=",
      "1",
      ".5",
      "/*",
      "*/",
      "--",
      "\n",
      ".",
      "*",
      "[",
      "]",
      "CAST",
      "AS",
      "BEGIN",
      "SET",
      "TO",
      "UPDATE",
      "DELETE",
      "FROM",
      "WHERE",
      "generate_series",
      "ON",
      "CONFLICT",
      "PRIMARY",
      "KEY",
      "DEFAULT",
      "REFERENCES",
      "CHECK",
      "\\",
      "é",
      "😀",
      "=>",
      "SUBSCRIPTION",
      "CONNECTION",
      "COPY",
      "TRUNCATE",
      "CASCADE",
      "decode",
      "md5",
      "LIMIT",
      "ALL",
      "interval",
      "date",
      "VARIADIC",
      "MERGE",
      "USING",
      "WHEN",
      "MATCHED",
      "THEN",
      "ONLY",
      "ctid"
    };
    for (int i = 0; i < 20_000; i++) {
      StringBuilder sql = new StringBuilder();
      int length = 1 + random.nextInt(14);
      for (int j = 0; j < length; j++) {
        sql.append(pieces[random.nextInt(pieces.length)]).append(random.nextInt(4) == 0 ? "" : " ");
      }
      try {
        SqlParser.parse(sql.toString());
      } catch (PgException e) {
        assertThat(e.sqlState()).as("seed %d: %s", seed, sql).hasSize(5).isNotEqualTo("XX000");
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + sql, e);
      }
    }
  }
}
