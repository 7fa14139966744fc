package dev.millrace.subscriber.api;

import dev.millrace.api.BadRequestException;
import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.subscriber.api.SubscriptionBodies.Alter;
import dev.millrace.subscriber.api.SubscriptionBodies.Create;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The subscription commands that bodies stand for. Every name is quoted and every value a literal,
 * so nothing in a body can become anything else in the statement.
 */
final class SubscriptionSql {

  private SubscriptionSql() {}

  static String create(Create body) {
    Options options =
        new Options()
            .flag("connect", body.connect())
            .flag("create_slot", body.createSlot())
            .flag("enabled", body.enabled())
            .slotName(body.slotName())
            .flag("binary", body.binary())
            .flag("copy_data", body.copyData())
            .text("streaming", body.streaming())
            .text("synchronous_commit", body.synchronousCommit())
            .flag("two_phase", body.twoPhase())
            .flag("disable_on_error", body.disableOnError())
            .flag("password_required", body.passwordRequired())
            .flag("run_as_owner", body.runAsOwner())
            .text("origin", body.origin())
            .flag("failover", body.failover());
    return "CREATE SUBSCRIPTION "
        + name(body.name(), "name")
        + " CONNECTION "
        + literal(body.connection(), "connection")
        + " PUBLICATION "
        + names(body.publications(), "publications")
        + options.with();
  }

  /** One statement per change; ENABLE comes after the options that need it off, the rename last. */
  static List<String> alter(String subscription, Alter body) {
    String alter = "ALTER SUBSCRIPTION " + name(subscription, "name") + ' ';
    List<String> statements = new ArrayList<>();
    if (Boolean.FALSE.equals(body.enabled())) {
      statements.add(alter + "DISABLE");
    }
    if (body.connection() != null) {
      statements.add(alter + "CONNECTION " + literal(body.connection(), "connection"));
    }
    Options options =
        new Options()
            .slotName(body.slotName())
            .flag("binary", body.binary())
            .text("streaming", body.streaming())
            .text("synchronous_commit", body.synchronousCommit())
            .flag("two_phase", body.twoPhase())
            .flag("disable_on_error", body.disableOnError())
            .flag("password_required", body.passwordRequired())
            .flag("run_as_owner", body.runAsOwner())
            .text("origin", body.origin())
            .flag("failover", body.failover());
    if (!options.isEmpty()) {
      statements.add(alter + "SET " + options.brackets());
    }
    if (Boolean.TRUE.equals(body.enabled())) {
      statements.add(alter + "ENABLE");
    }
    String refresh =
        new Options().flag("refresh", body.refresh()).flag("copy_data", body.copyData()).with();
    publications(statements, alter + "SET", body.setPublications(), "set_publications", refresh);
    publications(statements, alter + "ADD", body.addPublications(), "add_publications", refresh);
    publications(statements, alter + "DROP", body.dropPublications(), "drop_publications", refresh);
    if (body.owner() != null) {
      statements.add(alter + "OWNER TO " + name(body.owner(), "owner"));
    }
    if (body.renameTo() != null) {
      statements.add(alter + "RENAME TO " + name(body.renameTo(), "rename_to"));
    }
    return statements;
  }

  private static void publications(
      List<String> statements, String start, List<String> publications, String field, String with) {
    if (publications != null) {
      statements.add(start + " PUBLICATION " + names(publications, field) + with);
    }
  }

  static String enable(String subscription) {
    return "ALTER SUBSCRIPTION " + name(subscription, "name") + " ENABLE";
  }

  static String disable(String subscription) {
    return "ALTER SUBSCRIPTION " + name(subscription, "name") + " DISABLE";
  }

  static String refresh(String subscription, Boolean copyData) {
    return "ALTER SUBSCRIPTION "
        + name(subscription, "name")
        + " REFRESH PUBLICATION"
        + new Options().flag("copy_data", copyData).with();
  }

  static String skip(String subscription, String lsn) {
    if (lsn == null) {
      throw new BadRequestException("lsn is required");
    }
    String value = lsn.equalsIgnoreCase("none") ? "NONE" : literal(lsn, "lsn");
    return "ALTER SUBSCRIPTION " + name(subscription, "name") + " SKIP (lsn = " + value + ")";
  }

  static String drop(String subscription) {
    return "DROP SUBSCRIPTION " + name(subscription, "name");
  }

  private static String names(List<String> names, String field) {
    if (names == null || names.isEmpty()) {
      throw new BadRequestException(field + " must name at least one publication");
    }
    return names.stream().map(each -> name(each, field)).collect(Collectors.joining(", "));
  }

  private static String name(String name, String field) {
    if (Identifiers.isTooLong(required(name, field))) {
      // SQL would cut it, and then speak of another object than the body does.
      throw new PgException(SqlState.NAME_TOO_LONG, field + " is too long")
          .withDetail("A name has at most 63 bytes.");
    }
    return Identifiers.alwaysQuote(name);
  }

  private static String literal(String text, String field) {
    return Identifiers.literal(required(text, field));
  }

  private static String required(String text, String field) {
    if (text == null || text.isEmpty()) {
      throw new BadRequestException(field + " is required");
    }
    if (text.indexOf('\0') >= 0) {
      throw new BadRequestException(field + " must not hold the character with code 0");
    }
    return text;
  }

  /** The options given, as {@code (a = b, ..)}. */
  private static final class Options {
    private final List<String> given = new ArrayList<>();

    Options flag(String option, Boolean value) {
      if (value != null) {
        given.add(option + " = " + value);
      }
      return this;
    }

    Options text(String option, String value) {
      if (value != null) {
        given.add(option + " = " + literal(value, option));
      }
      return this;
    }

    /** NONE is a word there, not a name. */
    Options slotName(String value) {
      if ("NONE".equals(value)) {
        given.add("slot_name = NONE");
        return this;
      }
      return text("slot_name", value);
    }

    boolean isEmpty() {
      return given.isEmpty();
    }

    String brackets() {
      return "(" + String.join(", ", given) + ")";
    }

    String with() {
      return given.isEmpty() ? "" : " WITH " + brackets();
    }
  }
}
