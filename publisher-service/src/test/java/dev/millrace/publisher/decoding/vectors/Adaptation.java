package dev.millrace.publisher.decoding.vectors;

import dev.millrace.pgoutput.PgOutputMessage;
import dev.millrace.pgoutput.PgOutputReader;
import dev.millrace.pgoutput.StreamAbort;
import dev.millrace.pgoutput.StreamStart;
import dev.millrace.pgoutput.StreamStop;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What has to be changed in a captured scenario before the embedded database can run it, and the
 * same change in what is expected. Each use says why.
 */
final class Adaptation {

  private final Map<String, String> replacements = new LinkedHashMap<>();
  private final Map<String, String> textReplacements = new LinkedHashMap<>();
  private String droppedTextOption = "";
  private final Set<String> skipped = new HashSet<>();
  private final Set<Integer> droppedTransactions = new HashSet<>();
  private int firstSteps = Integer.MAX_VALUE;
  private int firstTransactions = Integer.MAX_VALUE;
  private final List<ColumnCut> cuts = new ArrayList<>();
  private String droppedRelation;
  private String droppedChanges;
  private boolean text = true;
  private int droppedStream;

  /** Runs a statement in other words. */
  Adaptation replace(String from, String to) {
    replacements.put(from, to);
    return this;
  }

  /** Changes what test_decoding is expected to say. */
  Adaptation replaceText(String regex, String replacement) {
    textReplacements.put(regex, replacement);
    return this;
  }

  /** Leaves out the captures of test_decoding with that option. */
  Adaptation withoutTextOption(String option) {
    droppedTextOption = option;
    return this;
  }

  boolean comparesText(Map<String, String> options) {
    return text && !options.containsKey(droppedTextOption);
  }

  List<String> expectedText(List<String> lines) {
    List<String> expected = new ArrayList<>();
    for (String line : lines) {
      String adapted = line;
      for (Map.Entry<String, String> replacement : textReplacements.entrySet()) {
        adapted = adapted.replaceAll(replacement.getKey(), replacement.getValue());
      }
      expected.add(adapted);
    }
    return expected;
  }

  /** Leaves out the statements that begin so; they send nothing. */
  Adaptation skip(String... beginnings) {
    skipped.addAll(List.of(beginnings));
    return this;
  }

  /** Leaves out single-row inserts, the n-th of which is the n-th transaction of the capture. */
  Adaptation skipInserts(String table, int... numbers) {
    for (int number : numbers) {
      skip("INSERT INTO " + table + " VALUES (" + number + ",");
      dropTransactions(number - 1);
    }
    return this;
  }

  /** Leaves out what a skipped statement sent: transactions of the capture, counted from 0. */
  Adaptation dropTransactions(int... numbers) {
    for (int number : numbers) {
      droppedTransactions.add(number);
    }
    return withoutText();
  }

  /** Leaves out the transactions of the capture that change that table. */
  Adaptation withoutRelation(String relation) {
    droppedRelation = " " + relation;
    return withoutText();
  }

  /** Leaves out what the capture says of that table. */
  Adaptation withoutChanges(String relation) {
    droppedChanges = " " + relation;
    return withoutText();
  }

  /** Leaves out the blocks of a streamed transaction, by its xid in the capture. */
  Adaptation withoutStreamed(int xid) {
    droppedStream = xid;
    return withoutText();
  }

  /** The messages of a capture without those blocks. */
  List<byte[]> kept(List<byte[]> messages, boolean parallel) {
    if (droppedStream == 0) {
      return messages;
    }
    PgOutputReader reader = new PgOutputReader(parallel);
    List<byte[]> kept = new ArrayList<>();
    boolean dropping = false;
    for (byte[] bytes : messages) {
      PgOutputMessage message = reader.read(bytes, 0, bytes.length);
      if (message instanceof StreamStart start) {
        dropping = start.xid() == droppedStream;
      }
      if (!dropping && !(message instanceof StreamAbort abort && abort.xid() == droppedStream)) {
        kept.add(bytes);
      }
      if (message instanceof StreamStop) {
        dropping = false;
      }
    }
    return kept;
  }

  /** Leaves out columns of types that come later. */
  Adaptation withoutColumns(String table, String... columns) {
    cuts.add(new ColumnCut(table, columns));
    return withoutText();
  }

  /** Runs the first steps only, which sent so many transactions. */
  Adaptation first(int steps, int transactions) {
    firstSteps = steps;
    firstTransactions = transactions;
    return withoutText();
  }

  /** Compares pgoutput only. */
  Adaptation withoutText() {
    text = false;
    return this;
  }

  boolean skips(String sql) {
    return skipped.stream().anyMatch(sql::startsWith);
  }

  String adapt(String sql) {
    String adapted = sql;
    for (Map.Entry<String, String> replacement : replacements.entrySet()) {
      adapted = adapted.replace(replacement.getKey(), replacement.getValue());
    }
    for (ColumnCut cut : cuts) {
      adapted = cut.apply(adapted);
    }
    return adapted;
  }

  boolean cuts(String relation, String column) {
    return cuts.stream().anyMatch(cut -> cut.cuts(relation, column));
  }

  List<VectorScenario.Step> steps(VectorScenario scenario) {
    return scenario.steps().subList(0, Math.min(firstSteps, scenario.steps().size()));
  }

  List<List<StreamText.Line>> expected(List<List<StreamText.Line>> transactions) {
    List<List<StreamText.Line>> kept = new ArrayList<>();
    for (int i = 0; i < Math.min(firstTransactions, transactions.size()); i++) {
      if (!droppedTransactions.contains(i) && !changesDropped(transactions.get(i))) {
        kept.add(withoutChanges(transactions.get(i)));
      }
    }
    return kept;
  }

  private List<StreamText.Line> withoutChanges(List<StreamText.Line> transaction) {
    return droppedChanges == null
        ? transaction
        : transaction.stream().filter(line -> !line.head().contains(droppedChanges)).toList();
  }

  private boolean changesDropped(List<StreamText.Line> transaction) {
    return droppedRelation != null
        && transaction.stream().anyMatch(line -> line.head().contains(droppedRelation));
  }
}
