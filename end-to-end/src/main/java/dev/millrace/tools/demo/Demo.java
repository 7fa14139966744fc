package dev.millrace.tools.demo;

import dev.millrace.tools.BuiltJars;
import dev.millrace.tools.MillraceApi;
import dev.millrace.tools.Replication;
import dev.millrace.tools.TableChecksum;
import dev.millrace.tools.TwoServices;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import tools.jackson.databind.JsonNode;

/**
 * The main job, told: start both services, make tables, publish, subscribe, copy, replicate
 * interleaved and TPC-B transactions, follow one statement, and prove both sides equal.
 */
public final class Demo {

  private static final long WAIT_MS = 300_000;
  private static final int HEAP_MB = 512;

  private final TwoServices services;
  private final MillraceApi publisher;
  private final MillraceApi subscriber;

  private Demo(TwoServices services) {
    this.services = services;
    publisher = services.publisher();
    subscriber = services.subscriber();
  }

  /** Runs the demonstration; 0 when both sides were proven equal. */
  public static int run(String[] args) throws Exception {
    boolean once = List.of(args).contains("--once");
    step("Starting publisher and subscriber");
    try (TwoServices services =
        new TwoServices(
            BuiltJars.home().resolve("data").resolve("demo"), 8080, HEAP_MB, List.of())) {
      Demo demo = new Demo(services);
      demo.createTables();
      demo.subscribeAndCopy();
      demo.interleave();
      new TpcB(services).run();
      new OneStatement(services).show();
      boolean equal = demo.prove();
      if (!equal) {
        return 1;
      }
      demo.printAddresses();
      if (!once) {
        step("Both services stay up until Ctrl-C");
        stayUp(services);
      }
      return 0;
    }
  }

  private static void stayUp(TwoServices services) throws InterruptedException {
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  services.close();
                  stopped.countDown();
                }));
    stopped.await();
  }

  private void createTables() {
    step("Creating tables on both sides, rows on the publisher only");
    publisher.sql(DemoTables.CREATE);
    subscriber.sql(DemoTables.CREATE);
    publisher.sql(DemoTables.FILL);
    say("%d accounts on the publisher", DemoTables.ACCOUNTS);
  }

  private void subscribeAndCopy() {
    step("Publishing and subscribing");
    run(publisher, "publisher", DemoTables.PUBLICATION);
    run(
        subscriber,
        "subscriber",
        "CREATE SUBSCRIPTION mysub CONNECTION '" + services.connection() + "' PUBLICATION mypub");
    CopyProgress progress = new CopyProgress(subscriber, "mysub");
    Replication.await("the initial copy", WAIT_MS, progress::printAndAskDone);
  }

  private void interleave() {
    step("Two interleaved transactions; the second begins before the first commits");
    try (MillraceApi.Session first = publisher.openSession();
        MillraceApi.Session second = publisher.openSession()) {
      String[][] timeline = {
        {"1", "BEGIN"},
        {"2", "BEGIN"},
        {"1", "INSERT INTO tbl_a VALUES (2, 'Bob', 200)"},
        {"2", "INSERT INTO tbl_a VALUES (3, 'Candy', 3)"},
        {"1", "INSERT INTO tbl_b VALUES (11, 'Luke', 110)"},
        {"2", "UPDATE tbl_a SET data = data + 1 WHERE id = 1"},
        {"2", "UPDATE tbl_a SET data = data + 1 WHERE id = 1"},
        {"1", "DELETE FROM tbl_b WHERE id = 10"},
        {"1", "COMMIT"},
        {"2", "COMMIT"},
      };
      for (String[] entry : timeline) {
        boolean isFirst = entry[0].equals("1");
        say("%-10s %s", isFirst ? "session 1" : "  session 2", entry[1]);
        (isFirst ? first : second).sql(entry[1]);
      }
    }
    Replication.awaitCaughtUp(publisher, "mysub", WAIT_MS);
    say("subscriber tbl_a: %s", subscriber.rows("SELECT * FROM tbl_a ORDER BY id"));
    say("subscriber tbl_b: %s", subscriber.rows("SELECT * FROM tbl_b ORDER BY id"));
  }

  private boolean prove() {
    step("Proving both sides equal");
    Replication.awaitCaughtUp(publisher, "mysub", WAIT_MS);
    boolean allEqual = true;
    for (DemoTables.Table table : DemoTables.ALL) {
      TableChecksum here = TableChecksum.of(publisher, table.name(), table.columns());
      TableChecksum there = TableChecksum.of(subscriber, table.name(), table.columns());
      boolean equal = here.equals(there);
      allEqual &= equal;
      say(
          "%-17s publisher %7d rows %s  subscriber %7d rows %s  %s",
          table.name(),
          here.rows(),
          here.sha256().substring(0, 12),
          there.rows(),
          there.sha256().substring(0, 12),
          equal ? "equal" : "DIFFERENT");
    }
    say(allEqual ? "All tables are equal." : "The tables differ.");
    return allEqual;
  }

  private void printAddresses() {
    step("Try it");
    say("publisher   %s/swagger-ui/index.html", publisher.baseUrl());
    say("subscriber  %s/swagger-ui/index.html", subscriber.baseUrl());
  }

  static JsonNode run(MillraceApi api, String where, String sql) {
    say("%s=# %s", where, sql);
    return api.sql(sql);
  }

  static void step(String title) {
    System.out.println();
    System.out.println("== " + title);
  }

  static void say(String format, Object... arguments) {
    System.out.println("   " + String.format(java.util.Locale.ROOT, format, arguments));
  }
}
