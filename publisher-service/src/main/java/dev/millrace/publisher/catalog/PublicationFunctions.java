package dev.millrace.publisher.catalog;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.sql.ResultColumn;
import dev.millrace.sql.SystemFunction;
import dev.millrace.sql.SystemFunction.Parameter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** PostgreSQL's functions about publications, by which subscribers and psql look at them. */
final class PublicationFunctions {

  private PublicationFunctions() {}

  static List<SystemFunction> of(Supplier<CatalogSnapshot> catalog) {
    return List.of(publicationTables(catalog), expression());
  }

  private static SystemFunction publicationTables(Supplier<CatalogSnapshot> catalog) {
    return new SystemFunction(
        "pg_get_publication_tables",
        List.of(
            new ResultColumn("pubid", "oid"),
            new ResultColumn("relid", "oid"),
            new ResultColumn("attrs", "text"),
            new ResultColumn("qual", "text")),
        false,
        List.of(new Parameter("pubname", "text", false, new String[0], true)),
        (caller, arguments) -> tables(catalog.get(), (String[]) arguments[0]));
  }

  private static List<Object[]> tables(CatalogSnapshot catalog, String[] names) {
    List<Object[]> rows = new ArrayList<>();
    for (String name : names) {
      PublicationDefinition publication = catalog.publication(name);
      if (publication == null) {
        throw new PgException(
            SqlState.UNDEFINED_OBJECT, "publication \"" + name + "\" does not exist");
      }
      for (PublishedTable table : PublishedTable.of(catalog, publication)) {
        rows.add(
            new Object[] {
              Integer.toUnsignedLong(publication.oid()),
              Integer.toUnsignedLong(table.relation().oid()),
              attnums(table),
              table.rowFilter()
            });
      }
    }
    return rows;
  }

  private static String attnums(PublishedTable table) {
    return table.relation().columns().stream()
        .filter(column -> table.columns().contains(column.name()))
        .map(ColumnDefinition::attnum)
        .map(String::valueOf)
        .collect(Collectors.joining(" "));
  }

  /** What a catalogue column holds of an expression is its text already. */
  private static SystemFunction expression() {
    return new SystemFunction(
        "pg_get_expr",
        List.of(new ResultColumn("pg_get_expr", "text")),
        true,
        List.of(
            new Parameter("expr", "text", true, null, false),
            new Parameter("relation", "oid", true, null, false),
            new Parameter("pretty", "bool", false, false, false)),
        (caller, arguments) -> List.<Object[]>of(new Object[] {arguments[0]}));
  }
}
