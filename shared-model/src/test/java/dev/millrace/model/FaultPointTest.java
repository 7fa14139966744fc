package dev.millrace.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A fault point")
class FaultPointTest {

  @AfterEach
  void disarm() {
    FaultPoint.disarmAll();
  }

  @Test
  @DisplayName("strikes once, at the hit it was armed for, and only under its own name")
  void strikesOnce() {
    AtomicInteger strikes = new AtomicInteger();
    FaultPoint.hit("a");
    FaultPoint.arm("a", 3, strikes::incrementAndGet);
    for (int hit = 1; hit <= 6; hit++) {
      FaultPoint.hit("a");
      FaultPoint.hit("b");
      assertThat(strikes).hasValue(hit < 3 ? 0 : 1);
    }
  }

  @Test
  @DisplayName("is not armed by a property of another form")
  void badProperty() {
    for (String bad : new String[] {"a", "a:kill", "a:sleep:3", "a:kill:x"}) {
      assertThatThrownBy(() -> FaultPoint.armAll(bad)).isInstanceOf(RuntimeException.class);
    }
    FaultPoint.armAll(" ");
  }
}
