package dev.millrace.subscriber.target;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.subscriber.RunningSubscriber;
import java.nio.file.Path;
import java.sql.Connection;
import javax.sql.DataSource;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.h2.mvstore.MVStore;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A target database that has closed itself")
class ClosedTargetTest {

  @TempDir static Path dataDir;

  @Test
  @DisplayName("makes the service neither ready nor alive, and a new start finds the rows")
  void closedByItself() throws Exception {
    RunningSubscriber subscriber = new RunningSubscriber(dataDir);
    subscriber.sql("create table kept (id int primary key); insert into kept values (1)");
    assertThat(subscriber.get("/actuator/health/liveness").status()).isEqualTo(200);

    store(subscriber).closeImmediately();

    assertThat(subscriber.get("/actuator/health/liveness").status()).isEqualTo(503);
    assertThat(subscriber.get("/actuator/health/readiness").status()).isEqualTo(503);
    subscriber.close();
    try (RunningSubscriber again = new RunningSubscriber(dataDir)) {
      assertThat(again.get("/actuator/health/liveness").status()).isEqualTo(200);
      assertThat(again.rows("select count(*) from kept").get(0)).containsExactly("1");
    }
  }

  private static MVStore store(RunningSubscriber subscriber) throws Exception {
    try (Connection connection = subscriber.bean(DataSource.class).getConnection()) {
      SessionLocal session = (SessionLocal) connection.unwrap(JdbcConnection.class).getSession();
      return session.getDatabase().getStore().getMvStore();
    }
  }
}
