package dev.millrace.sql;

import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.sql.SQLException;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * DROP TYPE and DROP DOMAIN of one that is used, in PostgreSQL's words. H2 tells of the first user
 * only, by the statement that would make it.
 */
final class TypeInUse {

  private static final String NAME = "\"((?:[^\"]|\"\")+)\"";

  private static final Pattern USER =
      Pattern.compile("^CREATE [A-Z ]*(TABLE|DOMAIN) " + NAME + "\\." + NAME);

  private TypeInUse() {}

  /**
   * @param type its name
   * @param user H2's statement
   */
  static PgException error(String type, String user, SQLException cause) {
    String shown = "type " + Identifiers.quote(type);
    PgException error =
        new PgException(
                SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
                "cannot drop " + shown + " because other objects depend on it",
                cause)
            .withHint("Use DROP ... CASCADE to drop the dependent objects too.");
    String detail = detail(type, user, " depends on " + shown);
    return detail.isEmpty() ? error : error.withDetail(detail);
  }

  private static String detail(String type, String user, String depends) {
    Matcher statement = USER.matcher(user);
    if (!statement.find()) {
      return "";
    }
    String name = quoted(statement.group(3));
    if (statement.group(1).equals("DOMAIN")) {
      return "type " + name + depends;
    }
    StringJoiner lines = new StringJoiner("\n");
    String quotedType = Pattern.quote(Identifiers.alwaysQuote(type));
    Matcher column = Pattern.compile(NAME + " " + NAME + "\\." + quotedType).matcher(user);
    while (column.find()) {
      lines.add("column " + quoted(column.group(1)) + " of table " + name + depends);
    }
    return lines.toString();
  }

  private static String quoted(String h2Name) {
    return Identifiers.quote(h2Name.replace("\"\"", "\""));
  }
}
