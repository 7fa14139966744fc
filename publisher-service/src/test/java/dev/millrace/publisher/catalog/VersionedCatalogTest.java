package dev.millrace.publisher.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.PgException;
import dev.millrace.model.RelationDefinition;
import dev.millrace.publisher.wal.SegmentedLog;
import dev.millrace.publisher.wal.WalBatch;
import dev.millrace.publisher.wal.WalFormat;
import dev.millrace.publisher.wal.WalOptions;
import dev.millrace.publisher.wal.WalReader;
import dev.millrace.publisher.wal.WalRecordType;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The catalogue")
class VersionedCatalogTest {

  @TempDir Path directory;
  private final MemoryProjection projection = new MemoryProjection();
  private SegmentedLog log;
  private VersionedCatalog catalog;
  private int nextOid = 16385;
  private int nextXid = 731;

  @BeforeEach
  void open() {
    log =
        SegmentedLog.open(
            directory,
            WalOptions.defaults().withSegmentSize(1 << 20),
            WalFormat.FIRST_LSN,
            WalFormat.FIRST_LSN,
            failure -> {
              throw new AssertionError(failure);
            });
    catalog = projection.open(log, () -> nextOid++);
  }

  @AfterEach
  void close() {
    catalog.close();
    log.close();
  }

  /** Commits as the database does: CATALOG records, commit record, hook, flush. */
  private long commit(CatalogTransaction transaction) {
    int xid = nextXid++;
    WalBatch batch = new WalBatch(256);
    transaction.encode(batch, xid, xid, 5);
    batch.begin(WalRecordType.COMMIT, 0, xid, xid, 5, 0).putLong(0).putLong(0).putInt(0);
    batch.end();
    long end = log.append(batch, (startLsn, endLsn) -> transaction.committed(endLsn));
    log.flush(end);
    return end;
  }

  private long put(RelationDefinition relation) {
    CatalogTransaction transaction = catalog.begin();
    transaction.put(relation);
    return commit(transaction);
  }

  private long put(PublicationDefinition publication) {
    CatalogTransaction transaction = catalog.begin();
    transaction.put(publication);
    return commit(transaction);
  }

  @Test
  @DisplayName("C2: answers as of a position, by the commit record's end")
  void asOf() {
    RelationDefinition first = CatalogFixture.table(16390, 1, "t", "id", "a");
    RelationDefinition second = CatalogFixture.table(16390, 2, "renamed", "id", "a", "b");
    long created = put(first);
    long altered = put(second);

    assertThat(catalog.asOf(created - 1).relation(16390)).isNull();
    assertThat(catalog.asOf(created).relation(16390)).isEqualTo(first);
    assertThat(catalog.asOf(altered - 1).relation(first.name())).isEqualTo(first);
    assertThat(catalog.asOf(altered).relation(first.name())).isNull();
    assertThat(catalog.asOf(altered).relation(second.name())).isEqualTo(second);
    assertThat(catalog.nextChangeAfter(0)).isEqualTo(created);
    assertThat(catalog.nextChangeAfter(created)).isEqualTo(altered);
    assertThat(catalog.nextChangeAfter(altered)).isEqualTo(Long.MAX_VALUE);
    assertThat(catalog.relation(16390, 1)).isEqualTo(first);
    assertThat(catalog.relation(16390, 2)).isEqualTo(second);
    assertThatThrownBy(() -> catalog.relation(16390, 3)).isInstanceOf(PgException.class);
  }

  @Test
  @DisplayName("shows a transaction its own changes at once and others after its commit")
  void ownView() {
    CatalogTransaction transaction = catalog.begin();
    transaction.put(CatalogFixture.publication(16400, "p"));
    assertThat(transaction.view().publication("p")).isNotNull();
    assertThat(catalog.current().publication("p")).isNull();
    put(CatalogFixture.publication(16401, "q"));
    assertThat(transaction.view().publications()).containsOnlyKeys("p", "q");
    commit(transaction);
    assertThat(catalog.current().publications()).containsOnlyKeys("p", "q");
  }

  @Test
  @DisplayName("undoes a transaction's changes back to a mark")
  void rollbackToMark() {
    CatalogTransaction transaction = catalog.begin();
    transaction.put(CatalogFixture.publication(16400, "p"));
    int mark = transaction.mark();
    transaction.dropPublication(16400);
    transaction.put(CatalogFixture.publication(16401, "q"));
    assertThat(transaction.view().publications()).containsOnlyKeys("q");
    transaction.rollbackTo(mark);
    assertThat(transaction.view().publications()).containsOnlyKeys("p");
    transaction.rollbackTo(0);
    assertThat(transaction.isEmpty()).isTrue();
    assertThat(transaction.view()).isSameAs(catalog.current());
  }

  @Test
  @DisplayName("takes a dropped table and schema out of the publications that list them")
  void dropCascades() {
    CatalogTransaction transaction = catalog.begin();
    transaction.put(CatalogFixture.table(16390, 1, "t", "id"));
    transaction.put(CatalogFixture.table(16391, 1, "u", "id"));
    transaction.put(new SchemaDefinition(16392, "sales"));
    transaction.put(
        CatalogFixture.publication(16400, "p", 16390, 16391)
            .withMembers(
                CatalogFixture.members(16390, 16391),
                java.util.List.of(new PublicationDefinition.SchemaMember(16402, 16392))));
    commit(transaction);

    CatalogTransaction drop = catalog.begin();
    drop.dropRelation(16390);
    drop.dropSchema(16392);
    commit(drop);
    PublicationDefinition left = catalog.current().publication("p");
    assertThat(left.tables())
        .extracting(PublicationDefinition.Member::relationOid)
        .containsExactly(16391);
    assertThat(left.schemas()).isEmpty();
    assertThat(catalog.current().relation(16390)).isNull();
  }

  @Test
  @DisplayName("is the same after a restart, from the projection and from the log's records")
  void restart() {
    long first = put(CatalogFixture.table(16390, 1, "t", "id"));
    catalog.save();
    MemoryProjection saved = new MemoryProjection();
    saved.write(projection.load().versions(), projection.load().appliedLsn());
    long second = put(CatalogFixture.table(16390, 2, "t", "id", "a"));
    CatalogTransaction both = catalog.begin();
    both.put(CatalogFixture.publication(16400, "p", 16390));
    both.put(new SchemaDefinition(16401, "sales"));
    long third = commit(both);

    try (VersionedCatalog restarted = saved.open(log, () -> 1)) {
      assertThat(restarted.current().relation(16390).version()).isEqualTo(1);
      replayAll(restarted);
      for (long lsn : new long[] {first, second, third}) {
        assertThat(restarted.asOf(lsn).relations()).isEqualTo(catalog.asOf(lsn).relations());
        assertThat(restarted.asOf(lsn).publications()).isEqualTo(catalog.asOf(lsn).publications());
        assertThat(restarted.asOf(lsn).schemas()).isEqualTo(catalog.asOf(lsn).schemas());
        assertThat(restarted.nextChangeAfter(lsn)).isEqualTo(catalog.nextChangeAfter(lsn));
      }
    }
  }

  /** As recovery does: every record from the start, committed with the next commit record. */
  private void replayAll(VersionedCatalog restarted) {
    try (WalReader reader = log.openReader(WalFormat.FIRST_LSN)) {
      java.util.List<byte[]> bodies = new java.util.ArrayList<>();
      while (reader.next()) {
        if (reader.type() == WalRecordType.CATALOG) {
          bodies.add(
              java.util.Arrays.copyOfRange(
                  reader.buffer(), reader.bodyOffset(), reader.bodyOffset() + reader.bodyLength()));
        } else if (reader.type() == WalRecordType.COMMIT) {
          bodies.forEach(body -> restarted.replay(reader.endLsn(), body, 0, body.length));
          bodies.clear();
        }
      }
    }
  }

  @Test
  @DisplayName("gives the changed catalogue to a decoder inside the changing transaction")
  void withRecord() {
    CatalogTransaction transaction = catalog.begin();
    transaction.put(CatalogFixture.publication(16400, "p"));
    WalBatch batch = new WalBatch(64);
    transaction.encode(batch, 1, 1, 5);
    int body = WalFormat.HEADER_SIZE;
    CatalogSnapshot overlay =
        catalog.withRecord(catalog.current(), batch.array(), body, batch.size() - body);
    assertThat(overlay.publication("p")).isEqualTo(transaction.view().publication("p"));
    assertThat(catalog.current().publication("p")).isNull();
    transaction.rollbackTo(0);
  }

  @Test
  @DisplayName("forgets versions that nobody can ask for any more")
  void forget() {
    long first = put(CatalogFixture.table(16390, 1, "t", "id"));
    long second = put(CatalogFixture.table(16390, 2, "t", "id", "a"));
    long third = put(CatalogFixture.table(16390, 3, "t", "id", "a", "b"));
    catalog.forgetBefore(second + 1);
    assertThat(catalog.relation(16390, 2)).isNotNull();
    assertThat(catalog.asOf(third).relation(16390).version()).isEqualTo(3);
    assertThat(catalog.asOf(second).relation(16390).version()).isEqualTo(2);
    assertThatThrownBy(() -> catalog.relation(16390, 1)).isInstanceOf(PgException.class);
    assertThat(first).isLessThan(second);
  }

  @Test
  @DisplayName("lets one transaction at a time have a publication and finds deadlocks")
  void locks() {
    CatalogTransaction first = catalog.begin();
    CatalogTransaction second = catalog.begin();
    first.lockPublication("a");
    second.lockPublication("b");
    CompletableFuture<Void> waiting =
        CompletableFuture.runAsync(
            () -> {
              first.lockPublication("b");
              first.put(CatalogFixture.publication(16400, "b"));
              commit(first);
            });
    Awaitility.await()
        .atMost(10, TimeUnit.SECONDS)
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> second.lockPublication("a"))
                    .isInstanceOfSatisfying(
                        PgException.class, e -> assertThat(e.sqlState()).isEqualTo("40P01")));
    assertThat(waiting).isNotDone();
    second.rollbackTo(0);
    assertThat(waiting).succeedsWithin(10, TimeUnit.SECONDS);
    second.lockPublication("b");
    assertThat(second.view().publication("b")).isNotNull();
    second.rollbackTo(0);
  }

  @Test
  @DisplayName("gives up waiting after lock_timeout with 55P03")
  void lockTimeout() {
    CatalogLocks locks = new CatalogLocks();
    locks.acquire("p", "one", LockPatience.ENDLESS);
    assertThatThrownBy(() -> locks.acquire("p", "two", new LockPatience(50, () -> {})))
        .isInstanceOfSatisfying(
            PgException.class, e -> assertThat(e.sqlState()).isEqualTo("55P03"));
    LockPatience cancelled =
        new LockPatience(
            0,
            () -> {
              throw new IllegalStateException("cancelled");
            });
    assertThatThrownBy(() -> locks.acquire("p", "two", cancelled)).hasMessage("cancelled");
    locks.release("p", "one");
    assertThat(locks.acquire("p", "two", cancelled)).isTrue();
  }

  @Test
  @DisplayName("does not bring back a dropped table's membership after what is not needed went")
  void droppedMemberAfterCompaction() {
    CatalogTransaction transaction = catalog.begin();
    transaction.put(CatalogFixture.table(16390, 1, "t", "id"));
    transaction.put(CatalogFixture.table(16391, 1, "u", "id"));
    transaction.put(CatalogFixture.publication(16400, "p", 16390, 16391));
    commit(transaction);
    put(CatalogFixture.table(16391, 2, "u", "id", "a"));
    CatalogTransaction drop = catalog.begin();
    drop.dropRelation(16390);
    long dropped = commit(drop);
    catalog.save();
    catalog.forgetBefore(dropped);
    try (VersionedCatalog restarted = projection.open(log, () -> 1)) {
      assertThat(restarted.current().publications()).isEqualTo(catalog.current().publications());
      assertThat(restarted.current().relations()).isEqualTo(catalog.current().relations());
      assertThat(restarted.relation(16391, 2)).isNotNull();
      assertThat(restarted.current().publication("p").tables())
          .extracting(PublicationDefinition.Member::relationOid)
          .containsExactly(16391);
    }
  }
}
