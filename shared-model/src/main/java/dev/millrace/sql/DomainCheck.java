package dev.millrace.sql;

import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The function around every condition of a domain. It changes nothing: H2's error names neither the
 * domain nor the constraint, but it shows the condition, and so the names in this call.
 *
 * <p>Public with public methods because H2 calls it by name.
 */
public final class DomainCheck {

  /** The constraint that stands for NOT NULL. */
  private static final String NOT_NULL = "";

  private static final Pattern NAMES =
      Pattern.compile("domain_check\"?\\('((?:[^']|'')*)', '((?:[^']|'')*)', ");

  private DomainCheck() {}

  /** What CREATE DOMAIN says for a condition, which has brackets of its own. */
  static String clause(QualifiedName domain, String constraint, String condition) {
    return " CHECK ("
        + Identifiers.alwaysQuote(SystemCatalog.SCHEMA)
        + '.'
        + SystemCatalog.DOMAIN_CHECK
        + '('
        + Identifiers.literal(domain.name())
        + ", "
        + Identifiers.literal(constraint)
        + ", "
        + condition
        + "))";
  }

  static String notNull(QualifiedName domain) {
    return clause(domain, NOT_NULL, "VALUE IS NOT NULL");
  }

  /** The function {@code domain_check}. */
  public static Boolean check(String domain, String constraint, Boolean holds) {
    return holds;
  }

  /** PostgreSQL's error for H2's, which shows the violated condition; null for one without us. */
  static PgException violation(String condition, SQLException cause) {
    Matcher names = NAMES.matcher(condition);
    if (!names.find()) {
      return null;
    }
    String domain = "domain " + Identifiers.quote(names.group(1).replace("''", "'"));
    String constraint = names.group(2).replace("''", "'");
    return constraint.equals(NOT_NULL)
        ? new PgException(
            SqlState.NOT_NULL_VIOLATION, domain + " does not allow null values", cause)
        : new PgException(
            SqlState.CHECK_VIOLATION,
            "value for " + domain + " violates check constraint \"" + constraint + "\"",
            cause);
  }
}
