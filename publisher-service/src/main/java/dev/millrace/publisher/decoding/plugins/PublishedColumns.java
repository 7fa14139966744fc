package dev.millrace.publisher.decoding.plugins;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.PgException;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.catalog.PublicationDefinition;
import java.util.Arrays;
import java.util.List;

/**
 * Which columns of a table the publications of one consumer publish together: their column lists
 * must be equal, where a publication without one counts as listing all columns it publishes.
 */
final class PublishedColumns {

  private final CatalogSnapshot catalog;
  private final RelationDefinition relation;
  private final List<PublicationDefinition> publications;

  /**
   * @param publications those that cover the table
   */
  private PublishedColumns(
      CatalogSnapshot catalog,
      RelationDefinition relation,
      List<PublicationDefinition> publications) {
    this.catalog = catalog;
    this.relation = relation;
    this.publications = publications;
  }

  /**
   * Whether each column, by its position in the definition, is published.
   *
   * @throws PgException 22023 when publications disagree about generated columns, 0A000 when their
   *     column lists differ
   */
  static boolean[] of(
      CatalogSnapshot catalog,
      RelationDefinition relation,
      List<PublicationDefinition> publications) {
    PublishedColumns columns = new PublishedColumns(catalog, relation, publications);
    return columns.combined(columns.withStored());
  }

  /** Whether stored generated columns are published where no list says which columns are. */
  private boolean withStored() {
    Boolean stored = null;
    if (relation.columns().stream().noneMatch(ColumnDefinition::isGenerated)) {
      return false;
    }
    for (PublicationDefinition publication : publications) {
      if (list(publication) == null) {
        boolean now = publication.generatedColumns() == 's';
        if (stored != null && stored != now) {
          throw new PgException(
              SqlState.INVALID_PARAMETER_VALUE,
              "cannot use different values of publish_generated_columns for table \""
                  + relation.name()
                  + "\" in different publications");
        }
        stored = now;
      }
    }
    return Boolean.TRUE.equals(stored);
  }

  private boolean[] combined(boolean withStored) {
    boolean[] all = all(withStored);
    boolean[] published = null;
    for (PublicationDefinition publication : publications) {
      List<Integer> list = list(publication);
      boolean[] now = list == null ? all : listed(list);
      if (published != null && !Arrays.equals(published, now)) {
        throw new PgException(
            SqlState.FEATURE_NOT_SUPPORTED,
            "cannot use different column lists for table \""
                + relation.name()
                + "\" in different publications");
      }
      published = now;
    }
    return published == null ? all : published;
  }

  private List<Integer> list(PublicationDefinition publication) {
    PublicationDefinition.Member listed = catalog.listed(publication, relation);
    return listed == null ? null : listed.columns();
  }

  private boolean[] all(boolean withStored) {
    boolean[] published = new boolean[relation.columns().size()];
    for (int i = 0; i < published.length; i++) {
      char generated = relation.columns().get(i).generated();
      published[i] = generated == 0 || generated == 's' && withStored;
    }
    return published;
  }

  private boolean[] listed(List<Integer> attnums) {
    boolean[] published = new boolean[relation.columns().size()];
    for (int i = 0; i < published.length; i++) {
      published[i] = attnums.contains(relation.columns().get(i).attnum());
    }
    return published;
  }
}
