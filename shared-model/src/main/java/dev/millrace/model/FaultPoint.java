package dev.millrace.model;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A named place in the code where a test, or a soak run, can make something go wrong: {@code
 * FaultPoint.hit("wal.before-force")} does nothing until the point is armed.
 *
 * <p>The system property {@code millrace.fault=name:kill:3} halts the process without any shutdown
 * work at the third hit of that point; several are separated by commas. Tests arm points in their
 * own JVM with {@link #arm}. Safe for any thread; an unarmed hit costs one volatile read.
 */
public final class FaultPoint {

  /** What an armed point does at the hit it waited for; it may throw. */
  @FunctionalInterface
  public interface Fault {
    void strike();
  }

  private record Armed(AtomicInteger hitsLeft, Fault fault) {}

  private static final Map<String, Armed> ARMED = new ConcurrentHashMap<>();
  private static volatile boolean anyArmed;

  static {
    armAll(System.getProperty("millrace.fault", ""));
  }

  private FaultPoint() {}

  /** Passes the point; strikes when it is armed and this is the hit it waits for. */
  public static void hit(String name) {
    if (!anyArmed) {
      return;
    }
    Armed armed = ARMED.get(name);
    if (armed != null && armed.hitsLeft.decrementAndGet() == 0) {
      armed.fault.strike();
    }
  }

  /** Arms a point: the {@code atHit}th hit from now on (counted from 1) strikes once. */
  public static void arm(String name, int atHit, Fault fault) {
    ARMED.put(name, new Armed(new AtomicInteger(atHit), fault));
    anyArmed = true;
  }

  /** Disarms every point of this JVM. */
  public static void disarmAll() {
    anyArmed = false;
    ARMED.clear();
  }

  /** Takes the system property's form, {@code name:kill:hits[,..]}. */
  static void armAll(String specification) {
    for (String part : specification.split(",")) {
      if (part.isBlank()) {
        continue;
      }
      String[] fields = part.trim().split(":");
      if (fields.length != 3 || !fields[1].equals("kill")) {
        throw new PgException(
            SqlState.INVALID_PARAMETER_VALUE, "invalid fault point: \"" + part + "\"");
      }
      arm(fields[0], Integer.parseInt(fields[2]), () -> Runtime.getRuntime().halt(137));
    }
  }
}
