package dev.millrace.publisher.database;

import dev.millrace.sql.SqlSession;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

public final class BenchMain {
  public static void main(String[] args) throws Exception {
    Path dir = Files.createTempDirectory("bench");
    TestNode node = TestNode.open(dir);
    node.run("CREATE TABLE t (id int PRIMARY KEY, a text, b int)");
    node.run("CREATE TABLE u (id int PRIMARY KEY, a text, b int)");
    int next = 0;
    String what = args.length == 0 ? "all" : args[0];
    for (int round = 0; round < 4; round++) {
      if (what.equals("all") || what.equals("bulk")) {
        try (SqlSession s = node.session()) {
          long t0 = System.nanoTime();
          int n = 300;
          for (int i = 0; i < n; i++) {
            s.execute("INSERT INTO t SELECT x, 'value ' || x, x FROM generate_series(" + (next + 1) + ", " + (next + 1000) + ") AS s(x)", List.of());
            next += 1000;
          }
          double sec = (System.nanoTime() - t0) / 1e9;
          System.out.printf("bulk 1000-row tx: %.0f rows/s%n", n * 1000 / sec);
        }
      }
      if (what.equals("all") || what.equals("one")) {
        try (SqlSession s = node.session()) {
          long t0 = System.nanoTime();
          int calls = 20;
          for (int c = 0; c < calls; c++) {
            StringBuilder sql = new StringBuilder();
            for (int i = 0; i < 500; i++) {
              next++;
              sql.append("BEGIN; INSERT INTO t VALUES (").append(next).append(", 'value', 1); COMMIT;");
            }
            s.execute(sql.toString(), List.of());
          }
          double sec = (System.nanoTime() - t0) / 1e9;
          System.out.printf("1 session, 500 tx per call: %.0f tx/s%n", calls * 500 / sec);
        }
      }
      if (what.equals("all") || what.equals("eight")) {
        List<Thread> threads = new ArrayList<>();
        long t0 = System.nanoTime();
        int base = next;
        int calls = 10;
        for (int k = 0; k < 8; k++) {
          int from = base + k * calls * 500;
          Thread th = new Thread(() -> {
            try (SqlSession s = node.session()) {
              int id = from;
              for (int c = 0; c < calls; c++) {
                StringBuilder sql = new StringBuilder();
                for (int i = 0; i < 500; i++) {
                  sql.append("BEGIN; INSERT INTO t VALUES (").append(++id).append(", 'value', 1); COMMIT;");
                }
                s.execute(sql.toString(), List.of());
              }
            }
          });
          th.start();
          threads.add(th);
        }
        for (Thread th : threads) th.join();
        next += 8 * calls * 500;
        double sec = (System.nanoTime() - t0) / 1e9;
        System.out.printf("8 sessions, 500 tx per call: %.0f tx/s%n", 8 * calls * 500 / sec);
      }
      if (what.equals("all") || what.equals("each")) {
        List<Thread> threads = new ArrayList<>();
        long t0 = System.nanoTime();
        int base = next;
        int each = 2000;
        for (int k = 0; k < 8; k++) {
          int from = base + k * each;
          Thread th = new Thread(() -> {
            try (SqlSession s = node.session()) {
              for (int i = 1; i <= each; i++) {
                s.execute("INSERT INTO t VALUES (" + (from + i) + ", 'value', 1)", List.of());
              }
            }
          });
          th.start();
          threads.add(th);
        }
        for (Thread th : threads) th.join();
        next += 8 * each;
        double sec = (System.nanoTime() - t0) / 1e9;
        System.out.printf("8 sessions, a call each: %.0f tx/s%n", 8 * each / sec);
      }
    }
    if (what.equals("million")) {
      try (SqlSession s = node.session()) {
        long t0 = System.nanoTime();
        s.execute("BEGIN", List.of());
        s.execute("INSERT INTO u SELECT x, 'value ' || x, x FROM generate_series(1, 1000000) AS s(x)", List.of());
        long t1 = System.nanoTime();
        s.execute("COMMIT", List.of());
        long t2 = System.nanoTime();
        System.out.printf("1M rows: insert %.2f s, commit %.2f s%n", (t1 - t0) / 1e9, (t2 - t1) / 1e9);
      }
    }
    node.close();
    Runtime.getRuntime().exec(new String[] {"rm", "-rf", dir.toString()}).waitFor();
  }
}
