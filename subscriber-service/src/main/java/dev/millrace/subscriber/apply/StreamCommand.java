package dev.millrace.subscriber.apply;

import dev.millrace.model.Identifiers;
import dev.millrace.model.Lsn;
import java.util.List;
import java.util.stream.Collectors;

/** The replication commands a worker sends. */
public final class StreamCommand {

  private StreamCommand() {}

  /** START_REPLICATION of a slot from a position (0 = where the slot stands). */
  public static String start(String slotName, long startLsn, List<String> publications) {
    String names =
        publications.stream().map(Identifiers::alwaysQuote).collect(Collectors.joining(","));
    return "START_REPLICATION SLOT "
        + Identifiers.alwaysQuote(slotName)
        + " LOGICAL "
        + Lsn.format(startLsn)
        + " (proto_version '1', origin 'any', publication_names "
        + Identifiers.literal(names)
        + ")";
  }
}
