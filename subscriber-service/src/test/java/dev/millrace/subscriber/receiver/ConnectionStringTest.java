package dev.millrace.subscriber.receiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConnectionStringTest {

  @Test
  @DisplayName("keyword/value form, with quotes and backslashes as libpq reads them")
  void keywordValue() {
    ConnectionString parsed =
        ConnectionString.parse(
            " host = 192.168.3.10  port=8090 dbname='My \\'Db\\\\' user=bob password=a\\ b options='-c x=1'");
    assertThat(parsed.host()).isEqualTo("192.168.3.10");
    assertThat(parsed.port()).isEqualTo(8090);
    assertThat(parsed.dbname()).isEqualTo("My 'Db\\");
    assertThat(parsed.password()).isEqualTo("a b");
    assertThat(parsed.endpoint("mysub").toString())
        .isEqualTo(
            "ws://192.168.3.10:8090/replication?application_name=mysub&dbname=My%20%27Db%5C&options=-c%20x%3D1");
  }

  @Test
  @DisplayName("an empty string means localhost on the default port")
  void defaults() {
    ConnectionString parsed = ConnectionString.parse("");
    assertThat(parsed.endpoint("s").toString())
        .isEqualTo("ws://localhost:8080/replication?application_name=s");
  }

  @Test
  @DisplayName("ws and wss addresses; application_name of the string prevails")
  void uri() {
    assertThat(
            ConnectionString.parse(
                    "wss://u:p%40x@pub.example:443/replication?dbname=testdb&application_name=me")
                .endpoint("other")
                .toString())
        .isEqualTo("wss://pub.example:443/replication?application_name=me&dbname=testdb");
    assertThat(ConnectionString.parse("ws://u:p%40x@h/replication").password()).isEqualTo("p@x");
    assertThat(ConnectionString.parse("host=h sslmode=verify-full").tls()).isTrue();
    assertThat(ConnectionString.parse("host=h sslmode=prefer").tls()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "host|42601|invalid connection string syntax: missing \"=\" after \"host\" in connection info string",
        "host=h nonsense=1|42601|invalid connection string syntax: invalid connection option \"nonsense\"",
        "dbname='open|42601|invalid connection string syntax: unterminated quoted string in connection info string",
        "host=h port=eighty|22023|invalid integer value \"eighty\" for connection option \"port\"",
        "host=h port=70000|22023|invalid port number: \"70000\"",
        "host=h sslmode=maybe|22023|invalid sslmode value: \"maybe\"",
        "ws://h/other|42601|invalid connection string syntax: the path of the URI must be /replication",
        "ws:///replication|42601|invalid connection string syntax: the URI has no host",
        "ws://h/replication?dbname|42601|invalid connection string syntax: missing \"=\" after \"dbname\" in the query of the URI",
        "postgresql://u@h/db|0A000|subscribing to a PostgreSQL server is not supported yet",
      })
  @DisplayName("what is not a connection string is refused with its reason")
  void refused(String text, String sqlState, String message) {
    assertThatThrownBy(() -> ConnectionString.parse(text))
        .isInstanceOfSatisfying(
            PgException.class, error -> assertThat(error.sqlState()).isEqualTo(sqlState))
        .hasMessage(message);
  }

  @Test
  @DisplayName("a password is printed neither by the parsed form nor by an error")
  void secret() {
    assertThat(ConnectionString.parse("host=h password=hush").toString()).doesNotContain("hush");
    assertThatThrownBy(() -> ConnectionString.parse("ws://u:hush@[bad/replication"))
        .message()
        .doesNotContain("hush");
    assertThatThrownBy(() -> ConnectionString.parse("host=h password='hush"))
        .message()
        .doesNotContain("hush");
  }
}
