package dev.millrace.replication;

import dev.millrace.model.IdentifierList;
import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.List;
import java.util.stream.Collectors;

/** The list in pgoutput's option {@code publication_names}. */
public final class PublicationNames {

  private PublicationNames() {}

  /**
   * The names in their order; an empty text is an empty list.
   *
   * @throws PgException 42602 when the text is no {@link IdentifierList}
   */
  public static List<String> parse(String text) {
    List<String> names = IdentifierList.parse(text);
    if (names == null) {
      throw new PgException(SqlState.INVALID_NAME, "invalid publication_names syntax");
    }
    return names;
  }

  /** The list of {@code names} as {@link #parse} reads it. */
  public static String format(List<String> names) {
    return names.stream().map(Identifiers::alwaysQuote).collect(Collectors.joining(","));
  }
}
