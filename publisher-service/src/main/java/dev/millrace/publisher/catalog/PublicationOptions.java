package dev.millrace.publisher.catalog;

import dev.millrace.model.IdentifierList;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The parameters of CREATE PUBLICATION .. WITH and ALTER PUBLICATION .. SET: what was given
 * replaces what holds, the rest stays.
 *
 * @param generatedColumns {@code 'n'} none, {@code 's'} stored
 */
record PublicationOptions(
    boolean insert,
    boolean update,
    boolean delete,
    boolean truncate,
    boolean viaRoot,
    char generatedColumns) {

  static final PublicationOptions DEFAULTS =
      new PublicationOptions(true, true, true, true, false, 'n');

  static PublicationOptions of(PublicationDefinition publication) {
    return new PublicationOptions(
        publication.insert(),
        publication.update(),
        publication.delete(),
        publication.truncate(),
        publication.viaRoot(),
        publication.generatedColumns());
  }

  /**
   * @param given names in lower case and raw values
   * @throws PgException 42601 for an unknown name or value
   */
  PublicationOptions with(Map<String, String> given) {
    PublicationOptions options = this;
    for (Map.Entry<String, String> option : given.entrySet()) {
      String value = String.valueOf(option.getValue());
      switch (option.getKey()) {
        case "publish" -> options = options.withPublish(value);
        case "publish_via_partition_root" ->
            options = options.withViaRoot(booleanOf(option.getKey(), value));
        case "publish_generated_columns" ->
            options = options.withGeneratedColumns(generatedColumnsOf(option.getKey(), value));
        default ->
            throw syntaxError("unrecognized publication parameter: \"" + option.getKey() + "\"");
      }
    }
    return options;
  }

  private PublicationOptions withPublish(String value) {
    List<String> operations = IdentifierList.parse(value);
    if (operations == null) {
      throw syntaxError("invalid list syntax in parameter \"publish\"");
    }
    for (String operation : operations) {
      if (!List.of("insert", "update", "delete", "truncate").contains(operation)) {
        throw syntaxError(
            "unrecognized value for publication option \"publish\": \"" + operation + "\"");
      }
    }
    return new PublicationOptions(
        operations.contains("insert"),
        operations.contains("update"),
        operations.contains("delete"),
        operations.contains("truncate"),
        viaRoot,
        generatedColumns);
  }

  private PublicationOptions withViaRoot(boolean newViaRoot) {
    return new PublicationOptions(insert, update, delete, truncate, newViaRoot, generatedColumns);
  }

  private PublicationOptions withGeneratedColumns(char newGeneratedColumns) {
    return new PublicationOptions(insert, update, delete, truncate, viaRoot, newGeneratedColumns);
  }

  private static boolean booleanOf(String name, String value) {
    switch (value.toLowerCase(Locale.ROOT)) {
      case "true", "on", "1":
        return true;
      case "false", "off", "0":
        return false;
      default:
        throw syntaxError(name + " requires a Boolean value");
    }
  }

  private static char generatedColumnsOf(String name, String value) {
    switch (value.toLowerCase(Locale.ROOT)) {
      case "none":
        return 'n';
      case "stored":
        return 's';
      default:
        throw syntaxError(
                "invalid value for publication parameter \"" + name + "\": \"" + value + "\"")
            .withDetail("Valid values are \"none\" and \"stored\".");
    }
  }

  private static PgException syntaxError(String message) {
    return new PgException(SqlState.SYNTAX_ERROR, message);
  }

  PublicationDefinition applyTo(PublicationDefinition publication) {
    return new PublicationDefinition(
        publication.oid(),
        publication.name(),
        publication.owner(),
        publication.allTables(),
        insert,
        update,
        delete,
        truncate,
        viaRoot,
        generatedColumns,
        publication.tables(),
        publication.schemas());
  }
}
