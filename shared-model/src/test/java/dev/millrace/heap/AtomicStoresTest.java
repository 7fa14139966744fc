package dev.millrace.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Copies H2's file while transactions run, as a kill would leave it, and looks whether a
 * transaction is whole in the copy. Many tables lie between the two that each transaction writes,
 * so that H2's own way of storing them, one after the other, takes long enough to be met.
 */
class AtomicStoresTest {

  private static final int TABLES_BETWEEN = 60;
  private static final int KILLS = 8;
  private static final int KILLS_AT_MOST = 300;
  private static final int STORES_PER_KILL = 8;

  @TempDir Path directory;
  private Connection admin;
  private MVStore store;

  @BeforeEach
  void open() throws SQLException {
    admin = connect("live");
    try (Statement statement = admin.createStatement()) {
      statement.execute("create table a (id bigint primary key)");
      statement.execute("create table a_total (id int primary key, n bigint)");
      for (int i = 0; i < TABLES_BETWEEN; i++) {
        statement.execute("create table between_" + i + " (id int primary key)");
      }
      statement.execute("create table b (id bigint primary key)");
      statement.execute("create table b_total (id int primary key, n bigint)");
      statement.execute("insert into a_total values (1, 0)");
      statement.execute("insert into b_total values (1, 0)");
      statement.execute("create unique index b_again on b (id desc)");
    }
    store =
        ((SessionLocal) ((JdbcConnection) admin).getSession())
            .getDatabase()
            .getStore()
            .getMvStore();
    store.setAutoCommitDelay(
        600_000); // stores happen when the test says so; with 0, at each commit
  }

  @AfterEach
  void close() throws SQLException {
    admin.createStatement().execute("shutdown immediately");
  }

  private Connection connect(String name) throws SQLException {
    String url = "jdbc:h2:file:" + directory.resolve(name) + ";DB_CLOSE_ON_EXIT=FALSE";
    return DriverManager.getConnection(url, "sa", "");
  }

  @Test
  @DisplayName("a kill at any moment leaves each transaction in all of its tables or in none")
  void wholeTransactions() throws Exception {
    AtomicStores.install(admin);
    assertThat(findsHalves(KILLS)).isFalse();
  }

  @Test
  @DisplayName(
      "without it H2 stores halves when it is slow between two tables: the test above can fail")
  void testCanFail() throws Exception {
    slowDown();
    assertThat(findsHalves(KILLS_AT_MOST)).isTrue();
  }

  @Test
  @DisplayName("installing twice changes nothing; the file closes and opens as before")
  void installedTwice() throws Exception {
    AtomicStores.install(admin);
    AtomicStores.install(admin);
    admin.createStatement().execute("insert into a values (1)");
    admin.createStatement().execute("create table late (id int primary key)");
    admin.createStatement().execute("insert into late values (1)");
    admin.createStatement().execute("drop table between_0");
    admin.createStatement().execute("shutdown");
    assertThatCode(this::open).hasMessageContaining("already exists");
    try (ResultSet rows =
        admin.createStatement().executeQuery("select a.id from a join late using (id)")) {
      assertThat(rows.next()).isTrue();
    }
  }

  /** Lets H2 rest between two tables while it stores, as a busy machine would. */
  @SuppressWarnings("unchecked")
  private void slowDown() throws ReflectiveOperationException {
    Field maps = MVStore.class.getDeclaredField("maps");
    maps.setAccessible(true);
    maps.set(store, new SlowMaps((Map<Integer, MVMap<?, ?>>) maps.get(store)));
  }

  private static final class SlowMaps extends ConcurrentHashMap<Integer, MVMap<?, ?>> {

    private static final long serialVersionUID = 1L;

    SlowMaps(Map<Integer, MVMap<?, ?>> maps) {
      super(maps);
    }

    @Override
    public Collection<MVMap<?, ?>> values() {
      Collection<MVMap<?, ?>> values = super.values();
      return new AbstractCollection<>() {
        @Override
        public Iterator<MVMap<?, ?>> iterator() {
          return values.stream().peek(map -> LockSupport.parkNanos(50_000)).iterator();
        }

        @Override
        public int size() {
          return values.size();
        }
      };
    }
  }

  /** Runs writers and kills in thought until a copy holds half a transaction. */
  private boolean findsHalves(int kills) throws Exception {
    long seed = System.nanoTime();
    System.out.println("AtomicStoresTest seed " + seed);
    AtomicBoolean stop = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      List<Future<?>> writers = new ArrayList<>();
      for (int writer = 0; writer < 3; writer++) {
        int number = writer;
        writers.add(
            threads.submit(
                () -> {
                  write(number, new Random(seed + number), stop);
                  return null;
                }));
      }
      boolean found = false;
      for (int kill = 0; kill < kills && !found; kill++) {
        for (int i = 0; i < STORES_PER_KILL; i++) {
          store.commit();
        }
        found = !isWhole(kill);
      }
      stop.set(true);
      for (Future<?> writer : writers) {
        writer.get(30, TimeUnit.SECONDS);
      }
      return found;
    } finally {
      stop.set(true);
      threads.shutdown();
    }
  }

  /** Writers 0 and 1 meet on the totals' one row; writer 2 runs beside them. */
  private void write(int writer, Random random, AtomicBoolean stop) throws SQLException {
    try (Connection connection = connect("live");
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("set lock_timeout 20000");
      for (long i = 0; !stop.get(); i++) {
        long id = i * 3 + writer;
        statement.execute("insert into a values (" + id + ")");
        if (writer < 2) {
          statement.execute("update a_total set n = n + 1");
          statement.execute("update b_total set n = n + 1");
        }
        statement.execute("insert into b values (" + id + ")");
        if (random.nextInt(3) == 0) {
          connection.rollback();
        } else {
          connection.commit();
        }
      }
    }
  }

  private boolean isWhole(int kill) throws SQLException {
    String name = "killed" + kill;
    store.executeFilestoreOperation(() -> copy(name));
    try (Connection copy = connect(name);
        Statement statement = copy.createStatement()) {
      boolean whole =
          number(statement, "select count(*) from a where id not in (select id from b)") == 0
              && number(statement, "select count(*) from b where id not in (select id from a)") == 0
              && number(statement, "select n from a_total")
                  == number(statement, "select count(*) from a where mod(id, 3) < 2")
              && number(statement, "select n from a_total")
                  == number(statement, "select n from b_total");
      statement.execute("shutdown immediately");
      return whole;
    } finally {
      directory.resolve(name + ".mv.db").toFile().delete();
    }
  }

  private void copy(String name) {
    try {
      Files.copy(directory.resolve("live.mv.db"), directory.resolve(name + ".mv.db"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long number(Statement statement, String query) throws SQLException {
    try (ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
