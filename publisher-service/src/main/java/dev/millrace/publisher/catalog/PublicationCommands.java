package dev.millrace.publisher.catalog;

import dev.millrace.model.BootstrapRole;
import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.settings.Settings;
import dev.millrace.sql.ParsedStatement.AlterPublication;
import dev.millrace.sql.ParsedStatement.CreatePublication;
import dev.millrace.sql.ParsedStatement.DropPublication;
import dev.millrace.sql.StatementResult;
import java.util.List;
import java.util.function.Consumer;

/**
 * CREATE, ALTER and DROP PUBLICATION inside a transaction, with PostgreSQL's checks and wording.
 * Stateless; safe for any thread. A command that throws has changed nothing.
 */
public final class PublicationCommands {

  private final CatalogStore catalog;
  private final Settings settings;

  public PublicationCommands(CatalogStore catalog, Settings settings) {
    this.catalog = catalog;
    this.settings = settings;
  }

  /**
   * @throws PgException 42710 when the name is taken, 42601 for bad options, and what {@link
   *     PublicationMembers} finds
   */
  public StatementResult create(
      CreatePublication command, CatalogTransaction transaction, Consumer<Notice> notices) {
    transaction.lockPublication(command.name());
    refuseTaken(command.name(), transaction.view());
    PublicationOptions options = PublicationOptions.DEFAULTS.with(command.options());
    PublicationMembers members =
        new PublicationMembers(
            transaction.view(), PublicationMembers.orNone(command.objects()), catalog::nextOid);
    PublicationDefinition empty =
        new PublicationDefinition(
            catalog.nextOid(),
            command.name(),
            BootstrapRole.OID,
            command.allTables(),
            true,
            true,
            true,
            true,
            false,
            'n',
            List.of(),
            List.of());
    transaction.put(members.addedTo(options.applyTo(empty)));
    if (!settings.get("wal_level").equals("logical")) {
      notices.accept(insufficientWalLevel());
    }
    return StatementResult.ofCommand("CREATE PUBLICATION");
  }

  private static Notice insufficientWalLevel() {
    return new Notice(
        "WARNING",
        SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
        "\"wal_level\" is insufficient to publish logical changes",
        null,
        "Set \"wal_level\" to \"logical\" before creating subscriptions.");
  }

  private static void refuseTaken(String name, CatalogSnapshot view) {
    if (view.publication(name) != null) {
      throw new PgException(
          SqlState.DUPLICATE_OBJECT, "publication \"" + name + "\" already exists");
    }
  }

  /**
   * @throws PgException 42704 for an unknown publication, 55000 for members of FOR ALL TABLES, and
   *     as {@link #create}
   */
  public StatementResult alter(AlterPublication command, CatalogTransaction transaction) {
    transaction.lockPublication(command.name());
    PublicationDefinition publication = transaction.view().publication(command.name());
    if (publication == null) {
      throw unknown(command.name());
    }
    transaction.put(changed(command, publication, transaction));
    return StatementResult.ofCommand("ALTER PUBLICATION");
  }

  private PublicationDefinition changed(
      AlterPublication command, PublicationDefinition publication, CatalogTransaction transaction) {
    switch (command.action()) {
      case ADD:
        return members(command, publication, transaction).addedTo(publication);
      case SET:
        return members(command, publication, transaction).instead(publication);
      case DROP:
        refuseDetails(command);
        return members(command, publication, transaction).removedFrom(publication);
      case SET_OPTIONS:
        return PublicationOptions.of(publication).with(command.options()).applyTo(publication);
      case RENAME:
        transaction.lockPublication(command.newName());
        refuseTaken(command.newName(), transaction.view());
        return publication.withName(command.newName());
      default:
        return publication.withOwner(BootstrapRole.resolve(command.newName()));
    }
  }

  private PublicationMembers members(
      AlterPublication command, PublicationDefinition publication, CatalogTransaction transaction) {
    PublicationMembers members =
        new PublicationMembers(
            transaction.view(), PublicationMembers.orNone(command.objects()), catalog::nextOid);
    if (publication.allTables() && members.hasSchemas()) {
      throw definedForAllTables(publication, "Schemas");
    }
    if (publication.allTables() && members.hasTables()) {
      throw definedForAllTables(publication, "Tables");
    }
    return members;
  }

  private static PgException definedForAllTables(PublicationDefinition publication, String kinds) {
    return new PgException(
            SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
            "publication \"" + publication.name() + "\" is defined as FOR ALL TABLES")
        .withDetail(kinds + " cannot be added to or dropped from FOR ALL TABLES publications.");
  }

  private static void refuseDetails(AlterPublication command) {
    for (var table : PublicationMembers.orNone(command.objects()).tables()) {
      if (table.columns() != null) {
        throw new PgException(
            SqlState.SYNTAX_ERROR,
            "column list must not be specified in ALTER PUBLICATION ... DROP");
      }
      if (table.where() != null) {
        throw new PgException(
            SqlState.SYNTAX_ERROR,
            "cannot use a WHERE clause when removing a table from a publication");
      }
    }
  }

  /**
   * @throws PgException 42704 for an unknown publication without IF EXISTS
   */
  public StatementResult drop(
      DropPublication command, CatalogTransaction transaction, Consumer<Notice> notices) {
    int before = transaction.mark();
    for (String name : command.names()) {
      transaction.lockPublication(name);
      PublicationDefinition publication = transaction.view().publication(name);
      if (publication != null) {
        transaction.dropPublication(publication.oid());
      } else if (command.ifExists()) {
        notices.accept(Notice.notice("publication \"" + name + "\" does not exist, skipping"));
      } else {
        transaction.rollbackTo(before);
        throw unknown(name);
      }
    }
    return StatementResult.ofCommand("DROP PUBLICATION");
  }

  private static PgException unknown(String name) {
    return new PgException(
        SqlState.UNDEFINED_OBJECT, "publication \"" + name + "\" does not exist");
  }
}
