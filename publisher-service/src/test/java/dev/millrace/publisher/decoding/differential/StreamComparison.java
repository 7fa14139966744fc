package dev.millrace.publisher.decoding.differential;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.model.PgException;
import dev.millrace.pgoutput.PgOutputReader;
import dev.millrace.publisher.PublisherUnderTest;
import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.decoding.SlotChanges;
import dev.millrace.publisher.decoding.StreamReplay;
import dev.millrace.publisher.decoding.vectors.StreamText;
import dev.millrace.publisher.source.SourcePostgres;
import dev.millrace.sql.SqlSession;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * What pgoutput says of the same history here and in PostgreSQL, for one set of publications and
 * many sets of options. Where it refuses, both must, in the same words.
 */
final class StreamComparison {

  static final String TWO_PHASE = "_2pc";
  private static final int SPARE = 14;

  /** How much is kept in memory before it is streamed: hardly anything, and some. */
  private static final int[] WORK_MEMORIES = {1, 1000, 20_000, 64 << 10};

  private static final int UNLIMITED = 64 << 20;

  /** The messages, or the error instead of them. */
  private record Answer(List<byte[]> messages, String error) {}

  private final String slot;
  private final PublisherUnderTest publisher;
  private final Random random;
  private final SourcePostgres postgres;
  private final List<String> ends;
  private final Set<String> withFailures;
  private String publications;
  private String about;
  private int copies;
  private int spares;

  /**
   * @param ends the positions in PostgreSQL's log at which transactions ended
   * @param withFailures the prepared transactions in which a statement had failed
   */
  StreamComparison(
      long seed,
      String slot,
      PublisherUnderTest publisher,
      SourcePostgres postgres,
      List<String> ends,
      Set<String> withFailures) {
    this.random = new Random(seed);
    this.about = "seed " + seed;
    this.slot = slot;
    this.publisher = publisher;
    this.postgres = postgres;
    this.ends = ends;
    this.withFailures = withFailures;
  }

  /**
   * What the PostgreSQL server needs beforehand: prepared transactions are read at their PREPARE by
   * slots that cannot be copied.
   */
  static List<String> spareSlots(String slot) {
    return IntStream.range(0, SPARE)
        .mapToObj(
            i ->
                "SELECT pg_create_logical_replication_slot('%s', 'pgoutput', false, true)"
                    .formatted(slot + TWO_PHASE + "_" + i))
        .toList();
  }

  /** Plain, binary, at PREPARE, and streamed. */
  void compareAll(String asked) {
    publications = asked;
    whole("1", Map.of("messages", "true"));
    whole("2", Map.of("binary", "true", "origin", "none"));
    prepared("1", Map.of("messages", "true"));
    prepared("3", Map.of("binary", "true", "origin", "none"));
    streamed("", "2", Map.of("streaming", "on"));
    streamed("", "4", Map.of("streaming", "parallel", "binary", "true"));
    streamed("", "4", Map.of("streaming", "parallel", "origin", "none"));
    streamed(TWO_PHASE, "4", Map.of("streaming", "parallel"));
  }

  /**
   * For a publisher whose source is that server: without logical messages, among which are the
   * publisher's own there, and without what was rolled back after its PREPARE.
   */
  void compareWithSource(String asked) {
    publications = asked;
    whole("1", Map.of());
    whole("2", Map.of("binary", "true"));
    streamed("", "4", Map.of("streaming", "parallel"));
    streamed("", "4", Map.of("streaming", "parallel", "binary", "true"));
  }

  private Map<String, String> options(String protocol, Map<String, String> further) {
    Map<String, String> options = new TreeMap<>(further);
    options.put("proto_version", protocol);
    options.put("publication_names", publications);
    return options;
  }

  /** Each transaction at its commit. */
  private void whole(String protocol, Map<String, String> further) {
    Map<String, String> options = options(protocol, further);
    compare("", options, UNLIMITED, "", StreamComparison::transactions);
    int workMemory = WORK_MEMORIES[random.nextInt(WORK_MEMORIES.length)];
    compare("", options, workMemory, ", spilled", StreamComparison::transactions);
  }

  /** Prepared transactions at their PREPARE. */
  private void prepared(String protocol, Map<String, String> further) {
    Map<String, String> options = options(protocol, further);
    compare(
        TWO_PHASE,
        options,
        UNLIMITED,
        ", at PREPARE",
        answer -> lasting(transactions(answer), false));
  }

  private void compare(
      String kind,
      Map<String, String> options,
      int workMemory,
      String how,
      Function<Answer, List<List<StreamText.Line>>> show) {
    Answer sent = ours(slot + kind, options, workMemory, false);
    Answer expected = theirs(slot + kind, options);
    if (!isSame(sent, expected, show)) {
      expected = theirsOneByOne(kind, options);
    }
    boolean met = isDisagreement(sent.error) || isDisagreement(expected.error);
    if (met && !Objects.equals(sent.error, expected.error)) {
      return; // It was met in a change that is rolled back later, or there in one that is not sent.
    }
    String what = about + ", " + options + how + " at " + workMemory;
    assertSame(what, show.apply(sent), show.apply(expected), sent, expected);
  }

  private static boolean isSame(
      Answer sent, Answer expected, Function<Answer, List<List<StreamText.Line>>> show) {
    try {
      assertSame("", show.apply(sent), show.apply(expected), sent, expected);
      return true;
    } catch (AssertionError e) {
      return false;
    }
  }

  /** Streamed change by change, and as memory demands it. */
  private void streamed(String kind, String protocol, Map<String, String> further) {
    Map<String, String> options = options(protocol, further);
    boolean parallel = "parallel".equals(options.get("streaming"));
    Answer theirs = theirs(slot + kind, options);
    List<List<StreamText.Line>> expected = committed(theirs, parallel);
    String how = about + ", " + options + kind + ", streamed";
    int workMemory = WORK_MEMORIES[random.nextInt(WORK_MEMORIES.length)];
    for (int memory : new int[] {UNLIMITED, workMemory}) {
      boolean immediately = memory == UNLIMITED;
      Answer sent = ours(slot + kind, options, memory, immediately);
      // Which table it meets first may be one that PostgreSQL leaves out.
      if (!isDisagreement(sent.error)) {
        assertSame(how + " at " + memory, committed(sent, parallel), expected, sent, theirs);
      }
    }
  }

  /**
   * Publications that disagree about a table are an error when a change of it is sent. PostgreSQL
   * meets it only in changes that last, since it reads after the fact.
   */
  private static boolean isDisagreement(String error) {
    return error != null && error.endsWith("in different publications");
  }

  private static void assertSame(
      String about,
      List<List<StreamText.Line>> sent,
      List<List<StreamText.Line>> expected,
      Answer ours,
      Answer theirs) {
    assertThat(ours.error).as(about).isEqualTo(theirs.error);
    for (int i = 0; i < Math.max(sent.size(), expected.size()); i++) {
      List<StreamText.Line> mine = i < sent.size() ? sent.get(i) : List.of();
      List<StreamText.Line> other = i < expected.size() ? expected.get(i) : List.of();
      if (!StreamText.same(mine, other)) {
        assertThat(mine).as(about + ", transaction " + i).isEqualTo(other);
      }
    }
  }

  private Answer ours(String of, Map<String, String> options, int workMemory, boolean immediately) {
    PublisherNode node = publisher.bean(PublisherNode.class);
    try (SqlSession session = node.open()) {
      SlotChanges.Request request =
          new SlotChanges.Request(
              of,
              node.databaseName(),
              session.pid(),
              0,
              0,
              options,
              false,
              true,
              100_000,
              workMemory,
              immediately,
              notice -> {});
      List<byte[]> messages =
          publisher.bean(SlotChanges.class).read(request).stream()
              .map(SlotChanges.Change::data)
              .toList();
      PgOutputReader reader = new PgOutputReader("parallel".equals(options.get("streaming")));
      StreamReplay.of(
          messages.stream().map(each -> reader.read(each, 0, each.length)).toList(),
          message -> ""); // Throws where it breaks the protocol.
      return new Answer(messages, null);
    } catch (PgException e) {
      return new Answer(List.of(), e.sqlState() + " " + e.getMessage());
    }
  }

  private Answer theirs(String of, Map<String, String> options) {
    String mode = options.containsKey("streaming") ? "immediate" : "buffered";
    postgres.run("SET debug_logical_replication_streaming = " + mode);
    String sql = read("peek", of, "NULL", options);
    String error = postgres.error(sql);
    return new Answer(
        error != null
            ? List.of()
            : postgres.rows(sql).stream().map(HexFormat.of()::parseHex).toList(),
        error);
  }

  /**
   * PostgreSQL keeps what it has found out about a table until it meets a change of a publication,
   * also for the changes before it of a transaction that commits later. Reading each transaction by
   * itself, it knows nothing beforehand.
   */
  private Answer theirsOneByOne(String kind, Map<String, String> options) {
    String own = slot + kind + "_" + (kind.isEmpty() ? copies++ : spares++);
    if (kind.isEmpty()) {
      String copy = "SELECT pg_copy_logical_replication_slot('" + slot + "', '" + own + "', false)";
      postgres.rows(copy);
    }
    List<byte[]> messages = new ArrayList<>();
    for (String lsn : ends) {
      String sql = read("get", own, "'" + lsn + "'", options);
      try {
        postgres.rows(sql).stream().map(HexFormat.of()::parseHex).forEach(messages::add);
      } catch (AssertionError refused) {
        return new Answer(List.of(), postgres.error(sql));
      }
    }
    return new Answer(messages, null);
  }

  private static String read(String how, String slot, String upTo, Map<String, String> options) {
    StringBuilder list = new StringBuilder();
    options.forEach((name, value) -> list.append(", '" + name + "', '" + value + "'"));
    return "SELECT encode(data, 'hex') FROM pg_logical_slot_"
        + how
        + "_binary_changes('"
        + slot
        + "', "
        + upTo
        + ", NULL"
        + list
        + ")";
  }

  private static List<List<StreamText.Line>> transactions(Answer answer) {
    return StreamText.of(answer.messages, false, (table, column) -> false);
  }

  /**
   * Without Relation messages, and without the changes of prepared transactions that were rolled
   * back later: PostgreSQL leaves them out when it reads after the fact.
   */
  private List<List<StreamText.Line>> lasting(
      List<List<StreamText.Line>> transactions, boolean streamed) {
    Set<String> rolledBack = new HashSet<>();
    transactions.forEach(
        lines -> lines.forEach(line -> rolledBack.add(line.head().replaceFirst("^r .* ", "P "))));
    List<List<StreamText.Line>> lasting = new ArrayList<>();
    for (List<StreamText.Line> lines : transactions) {
      String end = lines.get(lines.size() - 1).head().replaceFirst("^[Pp] .* ", "P ");
      boolean gone = end.startsWith("P ") && rolledBack.contains(end);
      String kept = gone ? "^(b|P|p|M false) .*" : "^(?!R ).*";
      List<StreamText.Line> left =
          lines.stream()
              .filter(line -> line.head().matches(kept))
              .map(StreamComparison::withoutNumber)
              .toList();
      boolean trace = left.stream().map(StreamText.Line::head).allMatch(this::isTrace);
      if (!trace && !(streamed && gone)) {
        lasting.add(left);
      }
    }
    return lasting;
  }

  /** The number counts what anything came of. */
  private static StreamText.Line withoutNumber(StreamText.Line line) {
    String head = line.head().replaceFirst("^([bPpKrc]) #\\d+", "$1");
    return new StreamText.Line(head, line.values());
  }

  /**
   * A prepared transaction that sends no change may have had a failed statement: it leaves a trace
   * in PostgreSQL's log, and none here.
   */
  private boolean isTrace(String head) {
    String[] words = head.split(" ");
    return words[0].equals("O")
        || "bPpKr".contains(words[0]) && withFailures.contains(words[words.length - 1]);
  }

  /**
   * The changes alone: PostgreSQL streams empty blocks of what does not pass the publications, and
   * names the origin of the first change in its log with them. Prepared transactions that were
   * rolled back are left out, of which it streams what it did not know the end of.
   */
  private List<List<StreamText.Line>> committed(Answer answer, boolean parallel) {
    return lasting(StreamText.committed(answer.messages, parallel, (table, column) -> false), true)
        .stream()
        .map(lines -> lines.stream().map(StreamComparison::asStreamed))
        .map(lines -> lines.filter(line -> line.head().length() > 1).toList())
        .filter(lines -> !lines.isEmpty())
        .toList();
  }

  /** Whether it was streamed depends on memory. */
  private static StreamText.Line asStreamed(StreamText.Line line) {
    String head = line.head().replaceFirst("^[bO] .*", "").replaceFirst("^[pP] ", "p ");
    return new StreamText.Line(head, line.values());
  }
}
