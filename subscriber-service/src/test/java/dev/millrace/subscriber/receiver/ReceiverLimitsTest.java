package dev.millrace.subscriber.receiver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.settings.SettingTable;
import dev.millrace.settings.Settings;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ReceiverLimitsTest {

  private static long largest(String setting) {
    Map<String, String> given = new HashMap<>(Map.of("replication_max_message_size", setting));
    return ReceiverLimits.of(new Settings(SettingTable.definitions(), given)).maxMessageBytes();
  }

  @Test
  @DisplayName("a message is never larger than the setting, nor than H2 can write in this heap")
  void largestMessage() {
    assertThat(largest("64kB")).isEqualTo(64 << 10);
    assertThat(largest("1GB")).isEqualTo(Runtime.getRuntime().maxMemory() / 16);
  }
}
