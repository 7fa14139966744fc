package dev.millrace.subscriber.apply;

import static dev.millrace.subscriber.fake.Messages.UNCHANGED;
import static dev.millrace.subscriber.fake.Messages.begin;
import static dev.millrace.subscriber.fake.Messages.commit;
import static dev.millrace.subscriber.fake.Messages.delete;
import static dev.millrace.subscriber.fake.Messages.insert;
import static dev.millrace.subscriber.fake.Messages.relation;
import static dev.millrace.subscriber.fake.Messages.truncate;
import static dev.millrace.subscriber.fake.Messages.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.pgoutput.LogicalMessage;
import dev.millrace.pgoutput.Origin;
import dev.millrace.pgoutput.PgOutputMessage;
import dev.millrace.pgoutput.StreamStart;
import dev.millrace.pgoutput.StreamStop;
import dev.millrace.pgoutput.Truncate;
import dev.millrace.subscriber.catalog.LocalRelations;
import dev.millrace.subscriber.catalog.SubscriptionStatistics.Conflict;
import dev.millrace.subscriber.conflict.ConflictLog;
import dev.millrace.subscriber.fake.Messages;
import dev.millrace.subscriber.fake.TestNode;
import dev.millrace.subscriber.target.DefinitionLocks;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Applying a stream to H2")
class TransactionApplierTest {

  private static final int SUBSCRIPTION = 99;
  private static final int T = 20000;
  private static TestNode node;

  private TransactionApplier applier;
  private ConflictLog conflicts;
  private long lsn = 0x1000;
  private int xid = 800;
  private ChangeGate gate;

  @BeforeAll
  static void start() {
    node = TestNode.shared();
  }

  @BeforeEach
  void open() {
    node.dropTables();
    gate = (table, commitLsn) -> ChangeGate.Verdict.APPLY;
    conflicts = new ConflictLog();
    open(0);
  }

  private void open(long remoteLsn) {
    int number = node.catalog().ensureOrigin("pg_99");
    applier =
        new TransactionApplier(
            node.workers().target().openConnection(),
            node.workers().target(),
            node.catalog(),
            conflicts,
            SUBSCRIPTION,
            new ApplyOrigin("pg_99", number, remoteLsn),
            (table, commitLsn) -> gate.judge(table, commitLsn),
            Clock.systemUTC());
  }

  @AfterEach
  void close() {
    applier.close();
    node.catalog().dropOrigin("pg_99");
    node.dropTables();
  }

  private TransactionApplier.Outcome send(PgOutputMessage message) {
    byte[] bytes = Messages.bytes(message);
    return applier.apply(bytes, 0, bytes.length);
  }

  /** One whole transaction; returns its end LSN. */
  private long transaction(PgOutputMessage... messages) {
    long commitLsn = lsn += 0x100;
    send(begin(commitLsn, xid++));
    for (PgOutputMessage message : messages) {
      send(message);
    }
    send(commit(commitLsn, commitLsn + 0x30));
    lsn = commitLsn + 0x30;
    return lsn;
  }

  @Test
  @DisplayName(
      "the first write to a table waits for DDL on it, later ones of the transaction do not")
  void definitionLocks() throws Exception {
    node.sql("create table t(a int primary key)");
    DefinitionLocks locks = node.workers().target().definitionLocks();
    List<QualifiedName> table = List.of(new QualifiedName("public", "t"));
    PgOutputMessage known = relation(T, "t", ReplicaIdentity.DEFAULT, "a*");
    ExecutorService stream = Executors.newSingleThreadExecutor();
    try {
      Future<Long> first;
      try (DefinitionLocks.Hold definition = locks.define(table, 0)) {
        first = stream.submit(() -> transaction(known, insert(T, "1")));
        assertThatThrownBy(() -> first.get(200, TimeUnit.MILLISECONDS))
            .isInstanceOf(TimeoutException.class);
      }
      first.get(20, TimeUnit.SECONDS);
      long commitLsn = lsn += 0x100;
      send(begin(commitLsn, xid++));
      send(insert(T, "2"));
      send(known);
      send(delete(T, 'K', "1"));
      send(insert(T, "3"));
      try (DefinitionLocks.Hold definition = locks.define(table, 0)) {
        stream.submit(() -> send(commit(commitLsn, commitLsn + 0x30))).get(20, TimeUnit.SECONDS);
      }
    } finally {
      stream.shutdown();
    }
    assertThat(node.rows("select a from t order by a")).containsExactly("2", "3");
  }

  @Test
  @DisplayName("A8 local DDL inside a transaction counts for tables it has not written to yet")
  void definedInside() {
    node.sql("create table t(a int primary key, b varchar)");
    PgOutputMessage known = relation(T, "t", ReplicaIdentity.DEFAULT, "a*", "b");
    transaction(known, insert(T, "1", "x"));
    transaction(insert(T, "2", "x")); // Opening the table has changed a definition, too.
    long commitLsn = lsn += 0x100;
    send(begin(commitLsn, xid++));
    node.sql("drop table t", "create table t(b varchar, a bigint primary key)");
    send(insert(T, "5000000000", "y"));
    send(commit(commitLsn, commitLsn + 0x30));
    assertThat(node.rows("select a, b from t")).containsExactly("5000000000,y");
  }

  private void assertFails(String sqlState, String message, Runnable action) {
    assertThatThrownBy(action::run)
        .isInstanceOfSatisfying(
            PgException.class, error -> assertThat(error.sqlState()).isEqualTo(sqlState))
        .hasMessage(message);
    applier.rollback();
  }

  @Test
  @DisplayName("S02 columns are matched by name; extra local ones keep default and local value")
  void columnsByName() {
    node.sql(
        "create table mixed(d varchar default 'local', c numeric(10,2), b varchar, a int primary key)");
    transaction(
        relation(T, "mixed", ReplicaIdentity.DEFAULT, "a*", "b", "c"),
        insert(T, "1", "foo", "1.10"),
        insert(T, "2", "bar", "2.20"));
    assertThat(node.rows("select a, b, c, d from mixed order by a"))
        .containsExactly("1,foo,1.10,local", "2,bar,2.20,local");
    node.sql("update mixed set d = 'mine' where a = 2");
    transaction(update(T, "2", "bar", "9.90"));
    assertThat(node.rows("select a, b, c, d from mixed where a = 2"))
        .containsExactly("2,bar,9.90,mine");
  }

  @Test
  @DisplayName("S03 missing and generated columns and missing tables are errors that name them all")
  void targetDoesNotFit() {
    node.sql(
        "create table t3(a int primary key)",
        "create table one(a int primary key, c int)",
        "create table gen(a int primary key, b int generated always as (a + 1), c int generated always as (a + 2))");
    assertFails(
        "55000",
        "logical replication target relation \"public.t3\" is missing replicated columns: \"b\", \"c\"",
        () ->
            transaction(
                relation(T, "t3", ReplicaIdentity.DEFAULT, "a*", "b", "c"),
                insert(T, "1", "2", "3")));
    assertFails(
        "55000",
        "logical replication target relation \"public.one\" is missing replicated column: \"b\"",
        () ->
            transaction(
                relation(T, "one", ReplicaIdentity.DEFAULT, "a*", "b", "c"),
                insert(T, "1", "2", "3")));
    assertFails(
        "55000",
        "logical replication target relation \"public.gen\" has incompatible generated columns: \"b\", \"c\"",
        () ->
            transaction(
                relation(T, "gen", ReplicaIdentity.DEFAULT, "a*", "b", "c"),
                insert(T, "1", "2", "3")));
    assertFails(
        "55000",
        "logical replication target relation \"public.nowhere\" does not exist",
        () -> transaction(relation(T, "nowhere", ReplicaIdentity.DEFAULT, "a*"), insert(T, "1")));
  }

  @Test
  @DisplayName("S03 a repaired table is taken up by the next transaction")
  void repairedTable() {
    node.sql("create table t3(a int primary key)");
    assertThatThrownBy(
            () ->
                transaction(
                    relation(T, "t3", ReplicaIdentity.DEFAULT, "a*", "b"), insert(T, "1", "x")))
        .isInstanceOf(PgException.class);
    applier.rollback();
    node.sql("alter table t3 add column b varchar");
    transaction(insert(T, "1", "x"));
    assertThat(node.rows("select * from t3")).containsExactly("1,x");
  }

  @Test
  @DisplayName("A8 local DDL between transactions is seen: a dropped default column, a new key")
  void localDdl() {
    node.sql("create table t(a int primary key, b varchar, extra int default 7)");
    transaction(relation(T, "t", ReplicaIdentity.DEFAULT, "a*", "b"), insert(T, "1", "x"));
    node.sql("alter table t drop column extra", "alter table t add column later int default 3");
    transaction(insert(T, "2", "y"), update(T, "1", "z"));
    assertThat(node.rows("select a, b, later from t order by a")).containsExactly("1,z,3", "2,y,3");
  }

  @Test
  @DisplayName("A5 what lies before remote_lsn is skipped; a commit exactly at it is applied")
  void skipsWhatIsApplied() {
    node.sql("create table t(a int primary key)");
    send(begin(0x2000, 1));
    send(relation(T, "t", ReplicaIdentity.DEFAULT, "a*"));
    send(insert(T, "1"));
    assertThat(send(commit(0x2000, 0x2030))).isEqualTo(TransactionApplier.Outcome.COMMITTED);
    assertThat(node.catalog().originProgress("pg_99")).isEqualTo(0x2030);

    applier.close();
    open(0x2030);
    send(begin(0x2000, 1));
    send(relation(T, "t", ReplicaIdentity.DEFAULT, "a*"));
    send(insert(T, "1"));
    assertThat(send(commit(0x2000, 0x2030))).isEqualTo(TransactionApplier.Outcome.ENDED_EMPTY);
    send(begin(0x2030, 2));
    send(insert(T, "2"));
    assertThat(send(commit(0x2030, 0x2060))).isEqualTo(TransactionApplier.Outcome.COMMITTED);
    assertThat(node.rows("select a from t order by a")).containsExactly("1", "2");
  }

  @Test
  @DisplayName("A5 rows and position are one transaction: an error leaves neither")
  void errorLeavesNothing() {
    node.sql("create table t(a int primary key)", "insert into t values (3)");
    assertThatThrownBy(
            () ->
                transaction(
                    relation(T, "t", ReplicaIdentity.DEFAULT, "a*"),
                    insert(T, "1"),
                    insert(T, "2"),
                    insert(T, "3"),
                    insert(T, "4")))
        .isInstanceOfSatisfying(
            PgException.class, error -> assertThat(error.sqlState()).isEqualTo("23505"));
    applier.rollback();
    assertThat(node.rows("select a from t")).containsExactly("3");
    assertThat(node.catalog().originProgress("pg_99")).isZero();
  }

  @Test
  @DisplayName("A10 an error names origin, message, table, remote xid and finish LSN")
  void errorContext() {
    node.sql("create table t(a int primary key, b int)");
    assertThatThrownBy(
            () ->
                transaction(
                    relation(T, "t", ReplicaIdentity.DEFAULT, "a*", "b"), insert(T, "1", "abc")))
        .isInstanceOfSatisfying(
            PgException.class,
            error -> {
              assertThat(error.sqlState()).isEqualTo("22P02");
              assertThat(error.context())
                  .isEqualTo(
                      "processing remote data for replication origin \"pg_99\" during message type"
                          + " \"INSERT\" for replication target relation \"public.t\" column \"b\""
                          + " in transaction 800, finished at 0/1100");
            });
  }

  @Test
  @DisplayName("A5 a transaction without changes opens no local one and stores no position")
  void emptyTransaction() {
    send(begin(0x2000, 1));
    assertThat(send(commit(0x2000, 0x2030))).isEqualTo(TransactionApplier.Outcome.ENDED_EMPTY);
    assertThat(node.catalog().originProgress("pg_99")).isZero();
  }

  @Test
  @DisplayName("Y1 changes left to another worker write no rows, but the position moves past them")
  void changesOfOthers() {
    node.sql("create table t(a int primary key)");
    gate = (table, commitLsn) -> ChangeGate.Verdict.LEAVE;
    send(begin(0x2100, 1));
    send(relation(T, "t", ReplicaIdentity.DEFAULT, "a*"));
    send(insert(T, "1"));
    send(truncate(0, T));
    assertThat(send(commit(0x2100, 0x2130))).isEqualTo(TransactionApplier.Outcome.COMMITTED);
    assertThat(node.catalog().originProgress("pg_99")).isEqualTo(0x2130);
    assertThat(node.count("t")).isZero();
  }

  @Test
  @DisplayName("a table outside the subscription is left alone, but must exist")
  void notSubscribed() {
    gate = (table, commitLsn) -> ChangeGate.Verdict.NOT_SUBSCRIBED;
    node.sql("create table t(a int primary key)");
    transaction(relation(T, "t", ReplicaIdentity.DEFAULT, "a*"), insert(T, "1"));
    assertThat(node.count("t")).isZero();
    assertFails(
        "55000",
        "logical replication target relation \"public.dropped\" does not exist",
        () -> transaction(relation(T, "dropped", ReplicaIdentity.DEFAULT, "a*"), insert(T, "1")));
  }

  @Test
  @DisplayName("A7 key changes, composite keys, deletes by key")
  void keys() {
    node.sql("create table t(b int, a int, v varchar, primary key (a, b))");
    transaction(
        relation(T, "t", ReplicaIdentity.DEFAULT, "a*", "b*", "v"),
        insert(T, "1", "1", "x"),
        insert(T, "1", "2", "y"),
        insert(T, "2", "1", "z"));
    transaction(
        update(T, 'K', new String[] {"1", "2", null}, "1001", "2", "y2"),
        delete(T, 'K', "2", "1", null),
        update(T, "1", "1", "x2"));
    assertThat(node.rows("select a, b, v from t order by a"))
        .containsExactly("1,1,x2", "1001,2,y2");
  }

  @Test
  @DisplayName("A7 the subscriber's own replica identity index finds the row")
  void identityIndex() {
    node.sql(
        "create table t(a int primary key, u int not null, v varchar)",
        "create unique index t_u on t(u)");
    node.bean(LocalRelations.class)
        .setReplicaIdentity(new QualifiedName("public", "t"), ReplicaIdentity.INDEX, "t_u");
    node.workers().target().definitionChanged();
    node.sql("insert into t values (1, 10, 'x')");
    transaction(relation(T, "t", ReplicaIdentity.INDEX, "u*", "v"), update(T, "10", "y"));
    assertThat(node.rows("select * from t")).containsExactly("1,10,y");
  }

  @Test
  @DisplayName("A7 a key that the publisher does not send, or no key at all, is refused")
  void noUsableKey() {
    node.sql("create table t(a int primary key, b int)", "create table n(a int, b int)");
    assertFails(
        "55000",
        "publisher did not send replica identity column expected by the logical replication target"
            + " relation \"public.t\"",
        () ->
            transaction(
                relation(T, "t", ReplicaIdentity.INDEX, "a", "b*"), delete(T, 'K', null, "1")));
    assertFails(
        "55000",
        "logical replication target relation \"public.n\" has neither REPLICA IDENTITY index nor"
            + " PRIMARY KEY and published relation does not have REPLICA IDENTITY FULL",
        () ->
            transaction(relation(T, "n", ReplicaIdentity.DEFAULT, "a*", "b"), update(T, "1", "2")));
  }

  @Test
  @DisplayName("S05 under FULL exactly one row changes per message, nulls are equal")
  void fullIdentity() {
    node.sql("create table f(a int, extra varchar default 'e')");
    List<PgOutputMessage> messages = new ArrayList<>();
    messages.add(relation(T, "f", ReplicaIdentity.FULL, "a"));
    for (int round = 0; round < 2; round++) {
      IntStream.rangeClosed(1, 10).forEach(a -> messages.add(insert(T, String.valueOf(a))));
    }
    messages.add(insert(T, new String[] {null}));
    messages.add(insert(T, new String[] {null}));
    transaction(messages.toArray(PgOutputMessage[]::new));
    messages.clear();
    for (int round = 0; round < 2; round++) {
      for (int a = 1; a <= 10; a++) {
        messages.add(update(T, 'O', new String[] {String.valueOf(a)}, String.valueOf(-a * a)));
      }
    }
    messages.add(delete(T, 'O', new String[] {null}));
    transaction(messages.toArray(PgOutputMessage[]::new));
    assertThat(node.rows("select count(*), min(a), max(a), count(distinct a) from f"))
        .containsExactly("21,-100,-1,10");
    assertThat(conflicts.of(SUBSCRIPTION)).isEmpty();
  }

  @Test
  @DisplayName("S06 an unchanged large value keeps its local value")
  void unchangedValue() {
    node.sql("create table t(a int primary key, b varchar, c int)");
    String large = "x".repeat(500_000);
    transaction(
        relation(T, "t", ReplicaIdentity.DEFAULT, "a*", "b", "c"),
        insert(T, "1", large, "1"),
        insert(T, "2", large, "1"));
    transaction(
        update(T, "1", UNCHANGED, "2"),
        update(T, "2", "short", UNCHANGED),
        update(T, 'K', new String[] {"1", null, null}, "11", UNCHANGED, "3"));
    assertThat(node.rows("select a, length(b), c from t order by a"))
        .containsExactly("2,5,1", "11,500000,3");
  }

  @Test
  @DisplayName("S07 missing rows are counted and listed, and the worker goes on")
  void missingRows() {
    node.sql(
        "create table t(id int primary key, v varchar, n int)", "create table f(a int, b varchar)");
    long updates = count(Conflict.UPDATE_MISSING);
    long deletes = count(Conflict.DELETE_MISSING);
    transaction(
        relation(T, "t", ReplicaIdentity.DEFAULT, "id*", "v", "n"),
        relation(T + 1, "f", ReplicaIdentity.FULL, "a", "b"),
        update(T, "1", "y", "1"),
        update(T, "2", "y", null),
        delete(T, 'K', "3", null, null),
        update(T + 1, 'O', new String[] {"1", null}, "2", "x"),
        delete(T + 1, 'O', "4", "z"),
        insert(T, "9", "later", "1"));
    assertThat(node.rows("select * from t")).containsExactly("9,later,1");
    assertThat(count(Conflict.UPDATE_MISSING) - updates).isEqualTo(3);
    assertThat(count(Conflict.DELETE_MISSING) - deletes).isEqualTo(2);
    assertThat(conflicts.of(SUBSCRIPTION))
        .extracting(c -> c.type() + " " + c.table() + " " + c.key() + " " + c.remoteRow())
        .containsExactly(
            "DELETE_MISSING public.f full (4, z) null",
            "UPDATE_MISSING public.f full (1, null) (2, x)",
            "DELETE_MISSING public.t (id)=(3) null",
            "UPDATE_MISSING public.t (id)=(2) (2, y, null)",
            "UPDATE_MISSING public.t (id)=(1) (1, y, 1)");
  }

  private static long count(Conflict conflict) {
    return node.catalog().statistics(SUBSCRIPTION).conflicts(conflict).sum();
  }

  @Test
  @DisplayName(
      "X1 a violated unique index is reported with the rows concerned, several at once too")
  void uniqueConflicts() {
    node.sql(
        "create table conf(a int, b int, c varchar, constraint conf_pkey primary key (a))",
        "create unique index conf_b on conf(b)",
        "insert into conf values (5, 5, 'L5'), (6, 6, 'L6'), (7, 7, null)");
    long exists = count(Conflict.INSERT_EXISTS);
    assertConflict(
        "insert_exists",
        "Key already exists in unique index \"conf_pkey\".\n"
            + "Key (a)=(5); existing local row (5, 5, L5); remote row (5, 8, R).",
        () ->
            transaction(
                relation(T, "conf", ReplicaIdentity.DEFAULT, "a*", "b", "c"),
                insert(T, "1", "1", "x"),
                insert(T, "5", "8", "R")));
    assertThat(count(Conflict.INSERT_EXISTS) - exists).isEqualTo(1);
    assertConflict(
        "update_exists",
        "Key already exists in unique index \"conf_b\".\n"
            + "Key (b)=(7); existing local row (7, 7, null); remote row (6, 7, x);"
            + " replica identity (a)=(6).",
        () -> transaction(update(T, "6", "7", "x")));
    assertThatThrownBy(() -> transaction(insert(T, "5", "6", "R")))
        .hasMessage(
            "conflict detected on relation \"public.conf\": conflict=multiple_unique_conflicts");
    applier.rollback();
    assertThat(conflicts.of(SUBSCRIPTION))
        .extracting(c -> c.type() + " " + c.resolution())
        .containsExactly(
            "MULTIPLE_UNIQUE_CONFLICTS error", "UPDATE_EXISTS error", "INSERT_EXISTS error");
  }

  private void assertConflict(String type, String detail, Runnable action) {
    assertThatThrownBy(action::run)
        .isInstanceOfSatisfying(
            PgException.class,
            error -> {
              assertThat(error.sqlState()).isEqualTo("23505");
              assertThat(error.detail()).isEqualTo(detail);
            })
        .hasMessage("conflict detected on relation \"public.conf\": conflict=" + type);
    applier.rollback();
  }

  @Test
  @DisplayName("A5 foreign keys are checked again when no subscription holds the table any more")
  void foreignKeysAgain() {
    node.sql(
        "create table p(id int primary key)",
        "create table c(id int primary key, p int references p)");
    transaction(relation(T, "c", ReplicaIdentity.DEFAULT, "id*", "p"), insert(T, "1", "5"));
    node.workers()
        .target()
        .checkForeignKeysExcept(java.util.Set.of(new QualifiedName("public", "c")));
    node.sql("insert into c values (2, 6)");
    node.workers().target().checkForeignKeysExcept(java.util.Set.of());
    assertThatThrownBy(() -> node.sql("insert into c values (3, 7)"))
        .hasMessageContaining("Referential integrity");
  }

  @Test
  @DisplayName("S08 TRUNCATE empties all tables of the message; identities restart only if asked")
  void truncates() {
    node.sql(
        "create table t1(id int generated by default as identity (start with 101) primary key, v int)",
        "create table t3(id int primary key)",
        "create table t4(id int primary key, r int references t3)",
        "insert into t1(v) values (1), (2)");
    transaction(
        relation(T, "t1", ReplicaIdentity.DEFAULT, "id*", "v"),
        relation(T + 3, "t3", ReplicaIdentity.DEFAULT, "id*"),
        relation(T + 4, "t4", ReplicaIdentity.DEFAULT, "id*", "r"),
        insert(T + 3, "1"),
        insert(T + 4, "1", "1"),
        truncate(0, T));
    node.sql("insert into t1(v) values (3)");
    assertThat(node.rows("select id from t1")).containsExactly("103");
    transaction(truncate(Truncate.RESTART_IDENTITY, T));
    node.sql("insert into t1(v) values (4)");
    assertThat(node.rows("select id from t1")).containsExactly("101");
    transaction(truncate(Truncate.CASCADE, T + 3, T + 4));
    assertThat(node.count("t3") + node.count("t4")).isZero();
  }

  @Test
  @DisplayName("A9 a table outside the message that references a truncated one is an error")
  void truncateReferenced() {
    node.sql(
        "create table t3(id int primary key)",
        "create table t4(id int primary key, r int references t3)");
    assertThatThrownBy(
            () -> transaction(relation(T, "t3", ReplicaIdentity.DEFAULT, "id*"), truncate(1, T)))
        .isInstanceOfSatisfying(
            PgException.class,
            error -> {
              assertThat(error.sqlState()).isEqualTo("0A000");
              assertThat(error.detail()).isEqualTo("Table \"t4\" references \"t3\".");
              assertThat(error.context()).contains("\"TRUNCATE\"");
            })
        .hasMessage("cannot truncate a table referenced in a foreign key constraint");
    applier.rollback();
  }

  @Test
  @DisplayName("A5 rows may come child first, also after DDL on the table")
  void childFirst() {
    node.sql(
        "create table p(id int primary key)",
        "create table c(id int primary key, p int references p)");
    transaction(
        relation(T, "p", ReplicaIdentity.DEFAULT, "id*"),
        relation(T + 1, "c", ReplicaIdentity.DEFAULT, "id*", "p"),
        insert(T + 1, "1", "5"),
        insert(T, "5"));
    node.sql("alter table c add column more int");
    transaction(insert(T + 1, "2", "6"), insert(T, "6"), delete(T, 'K', "5"));
    assertThat(node.count("c")).isEqualTo(2);
  }

  @Test
  @DisplayName("A5 identity columns take the values as they came, in inserts and updates")
  void identityColumns() {
    node.sql(
        "create table t(id int generated always as identity primary key, v varchar, loc int default 5)",
        "create table u(k int primary key, id int generated always as identity, v varchar)");
    transaction(
        relation(T, "t", ReplicaIdentity.DEFAULT, "id*", "v"),
        relation(T + 1, "u", ReplicaIdentity.DEFAULT, "k*", "id", "v"),
        insert(T, "50", "x"),
        insert(T, "60", "y"),
        insert(T + 1, "1", "70", "z"));
    node.sql("update t set loc = 9 where id = 50");
    transaction(
        update(T, "60", "y2"),
        update(T, 'K', new String[] {"50", null}, "51", "x2"),
        update(T + 1, "1", "71", "z2"));
    assertThat(node.rows("select id, v, loc from t order by id"))
        .containsExactly("51,x2,9", "60,y2,5");
    assertThat(node.rows("select k, id, v from u")).containsExactly("1,71,z2");
    node.sql("insert into t(v) values ('local')");
    assertThat(node.rows("select id from t where v = 'local'")).containsExactly("1");
  }

  @Test
  @DisplayName("a batch that fails is written row by row and the refused row's error comes out")
  void batchRetry() {
    node.sql("create table t(a int primary key, b int check (b < 100))");
    assertThatThrownBy(
            () ->
                transaction(
                    relation(T, "t", ReplicaIdentity.DEFAULT, "a*", "b"),
                    insert(T, "1", "1"),
                    insert(T, "2", "200"),
                    insert(T, "1", "3")))
        .isInstanceOfSatisfying(
            PgException.class,
            error -> {
              assertThat(error.sqlState()).isEqualTo("23514");
              assertThat(error.detail()).isEqualTo("Failing row contains (2, 200).");
            });
    applier.rollback();
    transaction(insert(T, "1", "1"), insert(T, "2", "2"));
    assertThat(node.count("t")).isEqualTo(2);
  }

  @Test
  @DisplayName("a relation message inside a transaction ends the batch of the definition before")
  void relationInside() {
    node.sql("create table t(a int primary key, b varchar, c varchar)");
    transaction(
        relation(T, "t", ReplicaIdentity.DEFAULT, "a*", "b"),
        insert(T, "1", "b1"),
        relation(T, "t", ReplicaIdentity.DEFAULT, "c", "a*"),
        insert(T, "c2", "2"));
    assertThat(node.rows("select a, b, c from t order by a"))
        .containsExactly("1,b1,null", "2,null,c2");
  }

  @Test
  @DisplayName("insert, truncate, insert in one transaction leaves the last row")
  void insertTruncateInsert() {
    node.sql("create table t(a int primary key)");
    transaction(
        relation(T, "t", ReplicaIdentity.DEFAULT, "a*"),
        insert(T, "1"),
        truncate(0, T),
        insert(T, "1"));
    assertThat(node.rows("select a from t")).containsExactly("1");
  }

  @Test
  @DisplayName("names with capitals, quotes and dots")
  void names() {
    node.sql("create table \"Mixed Case.t\"\"q\"(\"Id\" int primary key, \"a\"\"b\" varchar)");
    transaction(
        relation(T, "Mixed Case.t\"q", ReplicaIdentity.DEFAULT, "Id*", "a\"b"),
        insert(T, "1", ""),
        insert(T, "2", null),
        update(T, "1", "NULL"));
    assertThat(node.rows("select * from \"Mixed Case.t\"\"q\" order by 1"))
        .containsExactly("1,NULL", "2,null");
  }

  @Test
  @DisplayName("M is ignored; O only after B and before a change, also several times")
  void messagesAndOrigins() {
    node.sql("create table t(a int primary key)");
    send(new LogicalMessage(0, false, 0x100, "prefix", new byte[] {1}));
    transaction(
        new Origin(5, "elsewhere"),
        new Origin(6, "elsewhere"),
        relation(T, "t", ReplicaIdentity.DEFAULT, "a*"),
        new LogicalMessage(0, true, 0x100, "prefix", new byte[] {1}),
        insert(T, "1"));
    assertFails("08P01", "ORIGIN message sent out of order", () -> send(new Origin(5, "x")));
    assertFails(
        "08P01",
        "ORIGIN message sent out of order",
        () -> transaction(insert(T, "2"), new Origin(5, "x")));
  }

  @Test
  @DisplayName("S44 what the protocol does not allow is a protocol violation")
  void protocolViolations() {
    node.sql("create table t(a int primary key)");
    transaction(relation(T, "t", ReplicaIdentity.DEFAULT, "a*"));
    assertFails("08P01", "STREAM STOP message without STREAM START", () -> send(new StreamStop()));
    assertFails(
        "08P01",
        "STREAM START message sent although it was not asked for",
        () -> send(new StreamStart(5, true)));
    open(0);
    send(relation(T, "t", ReplicaIdentity.DEFAULT, "a*"));
    send(begin(0x2000, 7));
    assertFails(
        "08P01",
        "incorrect commit LSN 0/2001 in commit message (expected 0/2000)",
        () -> send(commit(0x2001, 0x2030)));
    send(begin(0x2000, 7));
    assertFails("08P01", "BEGIN message inside a transaction", () -> send(begin(0x3000, 8)));
    assertFails("08P01", "INSERT message outside a transaction", () -> send(insert(T, "1")));
    assertFails("08P01", "COMMIT message outside a transaction", () -> send(commit(1, 2)));
    send(begin(0x2000, 7));
    assertFails(
        "08P01", "no relation map entry for remote relation ID 5", () -> send(insert(5, "1")));
    send(begin(0x2000, 7));
    assertFails(
        "08P01", "tuple has 2 columns where its relation has 1", () -> send(insert(T, "1", "2")));
  }
}
