package dev.millrace.publisher.catalog;

import dev.millrace.model.RelationDefinition;
import dev.millrace.model.TextArray;
import dev.millrace.sql.ResultColumn;
import dev.millrace.sql.RowFilterText;
import dev.millrace.sql.SystemView;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * pg_publication, pg_publication_rel, pg_publication_namespace and pg_publication_tables with
 * PostgreSQL 18's columns.
 */
final class PublicationViews {

  private PublicationViews() {}

  /** The views; {@code catalog} is asked once per use of a view. */
  static List<SystemView> of(Supplier<CatalogSnapshot> catalog) {
    return List.of(
        new SystemView(
            "pg_publication",
            List.of(
                column("oid", "oid"),
                column("pubname", "name"),
                column("pubowner", "oid"),
                column("puballtables", "bool"),
                column("pubinsert", "bool"),
                column("pubupdate", "bool"),
                column("pubdelete", "bool"),
                column("pubtruncate", "bool"),
                column("pubviaroot", "bool"),
                column("pubgencols", "\"char\"")),
            () -> publications(catalog.get())),
        new SystemView(
            "pg_publication_rel",
            List.of(
                column("oid", "oid"),
                column("prpubid", "oid"),
                column("prrelid", "oid"),
                column("prqual", "text"),
                column("prattrs", "text")),
            () -> members(catalog.get())),
        new SystemView(
            "pg_publication_namespace",
            List.of(column("oid", "oid"), column("pnpubid", "oid"), column("pnnspid", "oid")),
            () -> schemas(catalog.get())),
        new SystemView(
            "pg_publication_tables",
            List.of(
                column("pubname", "name"),
                column("schemaname", "name"),
                column("tablename", "name"),
                column("attnames", "text"),
                column("rowfilter", "text")),
            () -> tables(catalog.get())));
  }

  private static ResultColumn column(String name, String type) {
    return new ResultColumn(name, type);
  }

  private static Long oid(int oid) {
    return Integer.toUnsignedLong(oid);
  }

  private static List<Object[]> publications(CatalogSnapshot catalog) {
    List<Object[]> rows = new ArrayList<>();
    for (PublicationDefinition publication : catalog.publicationsByName()) {
      rows.add(
          new Object[] {
            oid(publication.oid()),
            publication.name(),
            oid(publication.owner()),
            publication.allTables(),
            publication.insert(),
            publication.update(),
            publication.delete(),
            publication.truncate(),
            publication.viaRoot(),
            String.valueOf(publication.generatedColumns())
          });
    }
    return rows;
  }

  private static List<Object[]> members(CatalogSnapshot catalog) {
    List<Object[]> rows = new ArrayList<>();
    for (PublicationDefinition publication : catalog.publicationsByName()) {
      for (PublicationDefinition.Member member : publication.tables()) {
        String columns =
            member.columns() == null
                ? null
                : member.columns().stream().map(String::valueOf).collect(Collectors.joining(" "));
        rows.add(
            new Object[] {
              oid(member.oid()),
              oid(publication.oid()),
              oid(member.relationOid()),
              shownFilter(catalog, member),
              columns
            });
      }
    }
    return rows;
  }

  /** The expression itself, where PostgreSQL has a tree that pg_get_expr makes it of. */
  private static String shownFilter(CatalogSnapshot catalog, PublicationDefinition.Member member) {
    RelationDefinition relation = catalog.relation(member.relationOid());
    return member.rowFilter() == null || relation == null
        ? null
        : RowFilterText.show(member.rowFilter(), relation);
  }

  private static List<Object[]> schemas(CatalogSnapshot catalog) {
    List<Object[]> rows = new ArrayList<>();
    for (PublicationDefinition publication : catalog.publicationsByName()) {
      for (PublicationDefinition.SchemaMember member : publication.schemas()) {
        rows.add(new Object[] {oid(member.oid()), oid(publication.oid()), oid(member.schemaOid())});
      }
    }
    return rows;
  }

  private static List<Object[]> tables(CatalogSnapshot catalog) {
    List<Object[]> rows = new ArrayList<>();
    for (PublicationDefinition publication : catalog.publicationsByName()) {
      for (PublishedTable table : PublishedTable.of(catalog, publication)) {
        rows.add(
            new Object[] {
              publication.name(),
              table.relation().name().schema(),
              table.relation().name().name(),
              TextArray.format(table.columns()),
              table.rowFilter()
            });
      }
    }
    return rows;
  }
}
