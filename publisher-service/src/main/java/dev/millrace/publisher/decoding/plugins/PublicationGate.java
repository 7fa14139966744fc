package dev.millrace.publisher.decoding.plugins;

import dev.millrace.model.Notice;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.catalog.PublicationDefinition;
import dev.millrace.publisher.decoding.OutputPlugin;
import dev.millrace.publisher.decoding.OutputWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The publications a consumer asked for, looked up anew when the catalogue's publications change.
 * One that does not exist is warned of and left out: it may be created later.
 */
final class PublicationGate {

  private final List<String> names;
  private final OutputWriter writer;
  private Map<String, PublicationDefinition> loadedFrom;
  private List<PublicationDefinition> publications = List.of();

  PublicationGate(List<String> names, OutputWriter writer) {
    this.names = names;
    this.writer = writer;
  }

  boolean publishes(CatalogSnapshot catalog, int relationOid, OutputPlugin.ChangeKind kind) {
    if (!catalog.publications().equals(loadedFrom)) {
      load(catalog);
    }
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

  private void load(CatalogSnapshot catalog) {
    loadedFrom = catalog.publications();
    List<PublicationDefinition> found = new ArrayList<>();
    for (String name : names) {
      PublicationDefinition publication = catalog.publication(name);
      if (publication == null) {
        writer.notice(missing(name));
      } else {
        found.add(publication);
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

  private static boolean publishes(
      PublicationDefinition publication, OutputPlugin.ChangeKind kind) {
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
