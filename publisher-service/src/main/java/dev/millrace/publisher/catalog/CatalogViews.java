package dev.millrace.publisher.catalog;

import dev.millrace.publisher.wal.ControlState;
import dev.millrace.sql.DatabaseViews;
import dev.millrace.sql.RelationSource;
import dev.millrace.sql.RelationViews;
import dev.millrace.sql.SystemCatalog;
import dev.millrace.sql.SystemObjects;
import dev.millrace.sql.SystemView;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * All pg_ views and functions that show the catalogue, each session its own transaction's changes
 * too.
 */
final class CatalogViews {

  private CatalogViews() {}

  static SystemObjects of(CatalogHistory catalog, ControlState node) {
    Supplier<CatalogSnapshot> current = () -> asSeen(catalog);
    Supplier<RelationSource> relations = () -> relations(current.get(), node);
    List<SystemView> views = new ArrayList<>(PublicationViews.of(current));
    views.addAll(RelationViews.of(relations));
    views.addAll(DatabaseViews.of(relations));
    return new SystemObjects(views, PublicationFunctions.of(current));
  }

  /** As the session sees it whose statement runs on this thread. */
  private static CatalogSnapshot asSeen(CatalogHistory catalog) {
    return SystemCatalog.currentSession() instanceof CatalogViewer viewer
        ? viewer.catalogView()
        : catalog.current();
  }

  static RelationSource relations(CatalogSnapshot catalog, ControlState node) {
    return new RelationSource(
        catalog.relationsByName(),
        catalog.types().values(),
        catalog.schemas().values().stream()
            .collect(Collectors.toMap(SchemaDefinition::oid, SchemaDefinition::name)),
        node.databaseOid(),
        node.databaseName());
  }
}
