package dev.millrace.tools.demo;

import java.util.List;

/**
 * The tables of the demonstration: three with different identities, the two of the interleaving
 * story, and pgbench's.
 */
final class DemoTables {

  static final int ACCOUNTS = 100_000;

  /** A table with the columns that are compared on both sides. */
  record Table(String name, List<String> columns) {}

  static final List<Table> ALL =
      List.of(
          new Table("tbl_1", List.of("id", "name", "data")),
          new Table("tbl_2", List.of("id", "name", "data")),
          new Table("tbl_3", List.of("id", "name", "data")),
          new Table("tbl_a", List.of("id", "name", "data")),
          new Table("tbl_b", List.of("id", "name", "data")),
          new Table("pgbench_accounts", List.of("aid", "bid", "abalance", "filler")),
          new Table("pgbench_branches", List.of("bid", "bbalance", "filler")),
          new Table("pgbench_tellers", List.of("tid", "bid", "tbalance", "filler")),
          new Table("pgbench_history", List.of("tid", "bid", "aid", "delta", "mtime", "filler")));

  static final String CREATE =
      """
      CREATE TABLE tbl_1 (id int PRIMARY KEY, name text, data int);
      CREATE TABLE tbl_2 (id int NOT NULL UNIQUE, name text, data int);
      CREATE INDEX tbl_2_idx ON tbl_2 (id, name);
      CREATE TABLE tbl_3 (id int, name text, data int);
      ALTER TABLE tbl_3 REPLICA IDENTITY FULL;
      CREATE TABLE tbl_a (id int PRIMARY KEY, name text, data int);
      CREATE TABLE tbl_b (id int PRIMARY KEY, name text, data int);
      CREATE TABLE pgbench_accounts (aid int PRIMARY KEY, bid int, abalance int, filler char(84));
      CREATE TABLE pgbench_branches (bid int PRIMARY KEY, bbalance int, filler char(88));
      CREATE TABLE pgbench_tellers (tid int PRIMARY KEY, bid int, tbalance int, filler char(84));
      CREATE TABLE pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22));
      """;

  static final String FILL =
      """
      INSERT INTO tbl_1 VALUES (1, 'Alice', 1), (2, 'Bob', 2), (3, 'Candy', NULL);
      INSERT INTO tbl_2 VALUES (1, 'Alice', 1), (2, 'Bob', 2);
      INSERT INTO tbl_3 VALUES (1, 'Alice', 1), (1, 'Alice', 1), (2, NULL, 2);
      INSERT INTO tbl_a VALUES (1, 'Alice', 100);
      INSERT INTO tbl_b VALUES (10, 'Ken', 100);
      INSERT INTO pgbench_branches SELECT x, 0, '' FROM generate_series(1, 1) AS g(x);
      INSERT INTO pgbench_tellers SELECT x, 1, 0, '' FROM generate_series(1, 10) AS g(x);
      INSERT INTO pgbench_accounts SELECT x, 1, 0, '' FROM generate_series(1, %d) AS g(x);
      """
          .formatted(ACCOUNTS);

  static final String PUBLICATION =
      "CREATE PUBLICATION mypub FOR TABLE tbl_1, tbl_2, tbl_3, tbl_a, tbl_b, pgbench_accounts,"
          + " pgbench_branches, pgbench_tellers, pgbench_history";

  private DemoTables() {}
}
