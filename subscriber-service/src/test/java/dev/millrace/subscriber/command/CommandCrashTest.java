package dev.millrace.subscriber.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.model.FaultPoint;
import dev.millrace.subscriber.RunningSubscriber;
import dev.millrace.subscriber.catalog.SlotIntents;
import dev.millrace.subscriber.fake.ScriptedPublisher;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** R1: a command that ends between its steps, as by a kill, and the next start. */
@DisplayName("SUBSCRIPTION commands cut short")
class CommandCrashTest {

  @TempDir Path dataDir;

  /** What a kill looks like from inside: nothing that handles exceptions runs. */
  private static final class Killed extends Error {}

  @AfterEach
  void disarm() {
    FaultPoint.disarmAll();
  }

  @Test
  @DisplayName("CREATE after the slot was made: the next start drops the slot")
  void create() throws Exception {
    try (ScriptedPublisher publisher = new ScriptedPublisher()) {
      publisher.publish("p", "t");
      try (RunningSubscriber first = new RunningSubscriber(dataDir)) {
        first.sql("create table t (id int primary key)");
        kill("subscription.after-slot");
        assertThat(first.sql(create(publisher)).status()).isEqualTo(500);
        assertThat(publisher.slots()).containsExactly("s");
      }
      try (RunningSubscriber second = new RunningSubscriber(dataDir)) {
        await().untilAsserted(() -> assertThat(publisher.slots()).isEmpty());
        await().untilAsserted(() -> assertThat(second.bean(SlotIntents.class).open()).isEmpty());
        assertThat(second.rows("select * from pg_subscription")).isEmpty();
        assertThat(second.sql(create(publisher)).status()).isEqualTo(200);
      }
    }
  }

  @Test
  @DisplayName("DROP after the slot was dropped: the next start finishes it")
  void drop() throws Exception {
    try (ScriptedPublisher publisher = new ScriptedPublisher()) {
      publisher.publish("p", "t");
      try (RunningSubscriber first = new RunningSubscriber(dataDir)) {
        first.sql("create table t (id int primary key)");
        assertThat(first.sql(create(publisher)).status()).isEqualTo(200);
        kill("subscription.after-slot-drop");
        assertThat(first.sql("drop subscription s").status()).isEqualTo(500);
        assertThat(first.rows("select subname from pg_subscription")).containsExactly(List.of("s"));
      }
      try (RunningSubscriber second = new RunningSubscriber(dataDir)) {
        await()
            .untilAsserted(
                () -> assertThat(second.rows("select * from pg_subscription")).isEmpty());
        assertThat(second.bean(SlotIntents.class).open()).isEmpty();
        assertThat(second.rows("select * from pg_replication_origin")).isEmpty();
        assertThat(publisher.slots()).isEmpty();
      }
    }
  }

  private static void kill(String faultPoint) {
    FaultPoint.arm(
        faultPoint,
        1,
        () -> {
          throw new Killed();
        });
  }

  private static String create(ScriptedPublisher publisher) {
    return "create subscription s connection '"
        + publisher.connection()
        + "' publication p with (copy_data = false)";
  }
}
