package dev.millrace.publisher.decoding.plugins;

import dev.millrace.model.Notice;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.catalog.PublicationDefinition;
import dev.millrace.publisher.decoding.OutputPlugin;
import dev.millrace.publisher.decoding.OutputWriter;
import dev.millrace.publisher.filter.FilterSession;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The publications a consumer asked for, looked up anew when the catalogue's publications change.
 * One that does not exist is warned of once and left out: it may be created later.
 */
final class PublicationGate {

  private final List<String> names;
  private final OutputWriter writer;
  private final Set<String> warnedOf = new HashSet<>();
  private Map<String, PublicationDefinition> loadedFrom;
  private List<PublicationDefinition> publications = List.of();

  PublicationGate(List<String> names, OutputWriter writer) {
    this.names = names;
    this.writer = writer;
  }

  boolean publishes(CatalogSnapshot catalog, int relationOid, OutputPlugin.ChangeKind kind) {
    load(catalog);
    RelationDefinition relation = catalog.relation(relationOid);
    if (relation == null) {
      return false;
    }
    for (PublicationDefinition publication : publications) {
      if (publishes(publication, kind) && catalog.covers(publication, relation)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Which of the table's columns are sent, see {@link PublishedColumns}.
   *
   * @throws dev.millrace.model.PgException when its publications disagree
   */
  boolean[] columns(CatalogSnapshot catalog, RelationDefinition relation) {
    load(catalog);
    List<PublicationDefinition> covering =
        publications.stream().filter(publication -> catalog.covers(publication, relation)).toList();
    return PublishedColumns.of(catalog, relation, covering);
  }

  /** Whether changes of that kind are published for some rows of the table only. */
  boolean filtersRows(CatalogSnapshot catalog, int relationOid, OutputPlugin.ChangeKind kind) {
    load(catalog);
    RelationDefinition relation = catalog.relation(relationOid);
    return relation != null && !RelationFilters.of(catalog, relation, publications, kind).isEmpty();
  }

  /** The compiled row filters of the table. */
  RelationFilters filters(
      CatalogSnapshot catalog, RelationDefinition relation, FilterSession session) {
    load(catalog);
    return new RelationFilters(catalog, relation, publications, session);
  }

  private void load(CatalogSnapshot catalog) {
    if (catalog.publications().equals(loadedFrom)) {
      return;
    }
    loadedFrom = catalog.publications();
    List<PublicationDefinition> found = new ArrayList<>();
    for (String name : names) {
      PublicationDefinition publication = catalog.publication(name);
      if (publication != null) {
        warnedOf.remove(name);
        found.add(publication);
      } else if (warnedOf.add(name)) {
        writer.notice(missing(name));
      }
    }
    publications = found;
  }

  private static Notice missing(String name) {
    return new Notice(
        "WARNING",
        SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
        "skipped loading publication \"" + name + "\"",
        "The publication does not exist at this point in the WAL.",
        "Create the publication if it does not exist.");
  }

  static boolean publishes(PublicationDefinition publication, OutputPlugin.ChangeKind kind) {
    switch (kind) {
      case INSERT:
        return publication.insert();
      case UPDATE:
        return publication.update();
      case DELETE:
        return publication.delete();
      default:
        return publication.truncate();
    }
  }
}
