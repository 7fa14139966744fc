package dev.millrace.publisher.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.model.ReplicaIdentity;
import dev.millrace.pgoutput.Begin;
import dev.millrace.pgoutput.Commit;
import dev.millrace.pgoutput.CommitPrepared;
import dev.millrace.pgoutput.Insert;
import dev.millrace.pgoutput.PgOutputMessage;
import dev.millrace.pgoutput.Prepare;
import dev.millrace.pgoutput.Relation;
import dev.millrace.pgoutput.StreamCommit;
import dev.millrace.pgoutput.StreamStart;
import dev.millrace.pgoutput.StreamStop;
import dev.millrace.pgoutput.TupleData;
import dev.millrace.publisher.PublisherUnderTest;
import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.database.ForeignTransactions;
import dev.millrace.publisher.database.PublisherNode;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** I1, R2: a source that is away, is another one, has lost the slot, or breaks the protocol. */
class SourceFailuresTest {

  @TempDir Path directory;
  private SourcePostgres source;
  private PublisherUnderTest publisher;

  @BeforeEach
  void create() {
    source = SourcePostgres.create();
    source.run("CREATE TABLE t (id int PRIMARY KEY, v text)", "CREATE TABLE bare (id int)");
  }

  @AfterEach
  void stop() {
    if (publisher != null) {
      publisher.close();
    }
    source.close();
  }

  private String reason() {
    return publisher.bean(SourceStatus.class).current().reason();
  }

  private String health() {
    return publisher.bean(SourceHealth.class).health().getStatus().getCode();
  }

  @Test
  @DisplayName("the publication is made only when the settings say so, and for the listed tables")
  void publication() {
    publisher = SourceUnderTest.startAnyhow(directory, source);
    SourceUnderTest.awaitState(publisher, SourceState.MISCONFIGURED);
    assertThat(reason()).contains("publication \"src\" does not exist");
    assertThat(
            source.rows(
                "SELECT slot_name FROM pg_replication_slots WHERE database = '"
                    + source.database()
                    + "'"))
        .isEmpty();
    publisher.close();
    publisher =
        SourceUnderTest.start(
            directory,
            source,
            "--millrace.source.create-publication=true",
            "--millrace.source.tables=t,public.bare");
    assertThat(source.rows("SELECT puballtables FROM pg_publication")).containsExactly("f");
    assertThat(source.rows("SELECT tablename FROM pg_publication_tables ORDER BY 1"))
        .containsExactly("bare", "t");
    assertThat(health()).isEqualTo("UP");
  }

  @Test
  @DisplayName(
      "a slot that is gone is reported, makes the publisher not ready, and is not made again")
  void slotLost() {
    source.run("CREATE PUBLICATION src FOR TABLE t");
    publisher = SourceUnderTest.start(directory, source);
    publisher.close();
    source.run("SELECT pg_drop_replication_slot('" + source.database() + "')");
    publisher = SourceUnderTest.startAnyhow(directory, source);
    SourceUnderTest.awaitState(publisher, SourceState.SLOT_LOST);
    assertThat(reason()).contains("does not exist any more").contains("new data directory");
    assertThat(health()).isEqualTo("DOWN");
    assertThat(
            source.rows(
                "SELECT 1 FROM pg_replication_slots WHERE slot_name = '" + source.database() + "'"))
        .isEmpty();
  }

  @Test
  @DisplayName("another server behind the URL is reported, and nothing is read from it")
  void otherSystem() {
    source.run("CREATE PUBLICATION src FOR TABLE t");
    publisher = SourceUnderTest.start(directory, source);
    publisher.close();
    Path file = SourceIdentity.fileIn(directory);
    SourceIdentity made = SourceIdentity.read(file);
    new SourceIdentity(true, made.systemIdentifier() + 1, 1, made.startLsn(), made.slotName())
        .write(file);
    publisher = SourceUnderTest.startAnyhow(directory, source);
    SourceUnderTest.awaitState(publisher, SourceState.OTHER_SYSTEM);
    assertThat(reason()).contains("another database system");
    assertThat(health()).isEqualTo("DOWN");
  }

  @Test
  @DisplayName("messages that break the protocol end the connection and leave nothing behind")
  void brokenProtocol() throws Exception {
    source.run("CREATE PUBLICATION src FOR TABLE t");
    publisher = SourceUnderTest.start(directory, source);
    publisher.bean(SourceReceiver.class).stop();
    Begin begin = new Begin(Long.MAX_VALUE, 0, 77);
    Relation relation =
        new Relation(
            0,
            (int) Long.parseLong(source.value("SELECT 't'::regclass::oid::bigint")),
            "public",
            "t",
            ReplicaIdentity.DEFAULT,
            List.of(
                new Relation.Column(true, "id", 23, -1), new Relation.Column(false, "v", 25, -1)));
    int oid = relation.relationOid();
    refused("no Relation message", begin, new Insert(0, oid, TupleData.ofText("1", "x")));
    refused("1 columns instead of 2", begin, relation, new Insert(0, oid, TupleData.ofText("1")));
    refused("outside a transaction", relation);
    refused("inside another transaction", begin, begin);
    refused("without Begin", new Commit(1, 2, 0));
    refused("its Begin named", begin, new Commit(1, 2, 0));
    refused("without Stream Start", new StreamStop());
    refused("continues what never began", new StreamStart(5, false));
    refused(
        "begins it again", new StreamStart(5, true), new StreamStop(), new StreamStart(5, true));
    refused("inside another transaction", new StreamStart(5, true), new StreamStart(6, true));
    refused("without Stream Start", new StreamCommit(5, 1, 2, 0));
    refused("without Begin Prepare", begin, new Prepare(1, 2, 0, 77, "g"));
    refused(
        "which is not prepared",
        new CommitPrepared(Long.MAX_VALUE - 1, Long.MAX_VALUE, 0, 77, "g"));
    assertThat(publisher.bean(PublisherNode.class).oldestRunningLsn()).isEqualTo(Long.MAX_VALUE);
  }

  private void refused(String reason, PgOutputMessage... messages) throws Exception {
    ForeignTransactions log = publisher.bean(ForeignTransactions.class);
    try (Connection connection = source.connect()) {
      SourceRelations relations =
          new SourceRelations(
              publisher.bean(CatalogStore.class), log, new SourceTables(connection));
      StreamWriter writer =
          new StreamWriter(
              log,
              relations,
              new Confirmations(0),
              publisher.bean(PositionWaiters.class),
              name -> 1);
      assertThatThrownBy(
              () -> {
                for (PgOutputMessage message : messages) {
                  writer.write(message);
                }
              })
          .hasMessageContaining(reason);
      writer.abandon();
    }
  }

  @Test
  @DisplayName("a data directory is of one kind: with an embedded database or with a source")
  void kindOfDataDirectory() {
    PublisherUnderTest.start(directory).close();
    assertThatThrownBy(() -> SourceUnderTest.startAnyhow(directory, source))
        .hasStackTraceContaining("holds an embedded database");
  }
}
