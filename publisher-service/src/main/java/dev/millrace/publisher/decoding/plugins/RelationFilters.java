package dev.millrace.publisher.decoding.plugins;

import dev.millrace.model.RelationDefinition;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.catalog.PublicationDefinition;
import dev.millrace.publisher.decoding.OutputPlugin.ChangeKind;
import dev.millrace.publisher.filter.FilterSession;
import dev.millrace.publisher.filter.RowFilter;
import java.util.ArrayList;
import java.util.List;

/**
 * The row filters that the publications of one consumer put on one version of a table, for each
 * kind of change: the filters of the publications that publish such changes, ORed; none where one
 * of these publishes every row.
 */
final class RelationFilters {

  private final CatalogSnapshot catalog;
  private final RelationDefinition definition;
  private final RowFilter[] byKind = new RowFilter[ChangeKind.values().length];

  RelationFilters(
      CatalogSnapshot catalog,
      RelationDefinition definition,
      List<PublicationDefinition> publications,
      FilterSession session) {
    this.catalog = catalog;
    this.definition = definition;
    for (ChangeKind kind : ChangeKind.values()) {
      List<String> filters = of(catalog, definition, publications, kind);
      byKind[kind.ordinal()] = filters.isEmpty() ? null : session.compile(filters, definition);
    }
  }

  boolean isOf(CatalogSnapshot byCatalog, RelationDefinition version) {
    return definition == version && catalog == byCatalog;
  }

  /** Null when every row passes. */
  RowFilter of(ChangeKind kind) {
    return byKind[kind.ordinal()];
  }

  /** The filters one of which a row must pass; empty when every row passes. */
  static List<String> of(
      CatalogSnapshot catalog,
      RelationDefinition relation,
      List<PublicationDefinition> publications,
      ChangeKind kind) {
    List<String> filters = new ArrayList<>();
    for (PublicationDefinition publication : publications) {
      if (PublicationGate.publishes(publication, kind) && catalog.covers(publication, relation)) {
        PublicationDefinition.Member listed = catalog.listed(publication, relation);
        if (kind == ChangeKind.TRUNCATE || listed == null || listed.rowFilter() == null) {
          return List.of();
        }
        if (!filters.contains(listed.rowFilter())) {
          filters.add(listed.rowFilter());
        }
      }
    }
    return filters;
  }
}
