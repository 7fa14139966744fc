package dev.millrace.tools;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import tools.jackson.databind.JsonNode;

/** The two waits of logical replication, asked from outside over REST. */
public final class Replication {

  private Replication() {}

  /** Waits until every table of the subscription is ready (r) or synchronized (s). */
  public static void awaitSynced(MillraceApi subscriber, String subscription, long timeoutMs) {
    String path = "/api/v1/subscriptions/" + MillraceApi.segment(subscription) + "/tables";
    await(
        "subscription \"" + subscription + "\" to synchronize its tables",
        timeoutMs,
        () -> {
          JsonNode tables = subscriber.get(path);
          for (JsonNode table : tables) {
            String state = table.get("srsubstate").asString();
            if (!state.equals("r") && !state.equals("s")) {
              return false;
            }
          }
          return !tables.isEmpty();
        });
  }

  /** Waits until the slot has confirmed everything that is in the publisher's log now. */
  public static void awaitCaughtUp(MillraceApi publisher, String slot, long timeoutMs) {
    long target = lsn(publisher.value("SELECT pg_current_wal_lsn()"));
    String path = "/api/v1/slots/" + MillraceApi.segment(slot);
    await(
        "slot \"" + slot + "\" to confirm the publisher's position",
        timeoutMs,
        () ->
            Long.compareUnsigned(
                    lsn(publisher.get(path).get("confirmed_flush_lsn").asString()), target)
                >= 0);
  }

  /** The position of an LSN's text form. */
  public static long lsn(String text) {
    return dev.millrace.model.Lsn.parse(text).value();
  }

  /** Asks again every 20 ms until the answer is yes. */
  public static void await(String what, long timeoutMs, BooleanSupplier condition) {
    await(what, timeoutMs, 20, condition);
  }

  /** Asks again every {@code everyMs} until the answer is yes. */
  public static void await(String what, long timeoutMs, long everyMs, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("waited " + timeoutMs + " ms for " + what);
      }
      try {
        TimeUnit.MILLISECONDS.sleep(everyMs);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while waiting for " + what, e);
      }
    }
  }
}
