package dev.millrace.publisher.source;

import dev.millrace.model.ColumnDefinition;
import dev.millrace.model.IndexDefinition;
import dev.millrace.model.Lsn;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.RelationDefinition;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.model.UserType;
import dev.millrace.pgoutput.Relation;
import dev.millrace.pgoutput.Type;
import dev.millrace.publisher.catalog.CatalogSnapshot;
import dev.millrace.publisher.catalog.CatalogStore;
import dev.millrace.publisher.catalog.CatalogTransaction;
import dev.millrace.publisher.catalog.SchemaDefinition;
import dev.millrace.publisher.database.ForeignTransactions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the source's table definitions into this node's catalogue, under the OIDs they have there.
 *
 * <p>What a Relation message says decides what rows look like from there on; the source's catalogue
 * only adds what the message leaves out (attribute numbers, keys, NOT NULL) as far as the two
 * agree. A definition is made current at once, in a transaction of its own, also when the message
 * belongs to a transaction that may abort: change records name the version they were written with,
 * so nobody reads a row by a definition that was not in force for it.
 *
 * <p>Versions are numbers never used before, so that a table that goes and comes back never meets
 * an older definition of its own. One thread.
 */
final class SourceRelations {

  private static final Logger LOG = LoggerFactory.getLogger(SourceRelations.class);

  private final CatalogStore catalog;
  private final ForeignTransactions log;
  private final SourceTables tables;
  private final Map<Integer, QualifiedName> typeNames = new HashMap<>();
  private Seen seen;

  /**
   * What the source's catalogue held before a position.
   *
   * @param gone tables of this node's catalogue that are not published there
   */
  private record Seen(List<SourceTables.Table> published, Set<Integer> gone, long lsn) {}

  SourceRelations(CatalogStore catalog, ForeignTransactions log, SourceTables tables) {
    this.catalog = catalog;
    this.log = log;
    this.tables = tables;
  }

  /** The definition that rows behind this message are written with. */
  RelationDefinition define(Relation message) throws SQLException {
    RelationDefinition known = catalog.current().relation(message.relationOid());
    SourceTables.Table live = tables.find(message.relationOid());
    RelationDefinition told = definition(message, known, live == null ? null : live.definition());
    return known != null && sameContent(known, told)
        ? known
        : put(told, live == null ? 0 : live.schemaOid());
  }

  /** A Type message: what the type is called in the Relation messages that follow. */
  void define(Type message) {
    String schema = message.namespace().isEmpty() ? "pg_catalog" : message.namespace();
    typeNames.put(message.typeOid(), new QualifiedName(schema, message.name()));
  }

  /** Types have the names that were told, also where the source's catalogue has others by now. */
  private ColumnDefinition named(ColumnDefinition column) {
    QualifiedName name = typeNames.get(column.typeOid());
    if (name == null || column.userType() != null && column.userType().announced().equals(name)) {
      return column;
    }
    UserType live = column.userType();
    return SourceTables.of(
        column,
        live == null
            ? new UserType(name.name(), name, column.typeOid(), -1)
            : new UserType(live.shown(), name, live.valueOid(), live.valueModifier()));
  }

  private static boolean sameContent(RelationDefinition a, RelationDefinition b) {
    return withVersion(a, 0).equals(withVersion(b, 0));
  }

  private static RelationDefinition withVersion(RelationDefinition relation, int version) {
    return new RelationDefinition(
        relation.oid(),
        version,
        relation.name(),
        relation.columns(),
        relation.indexes(),
        relation.replicaIdentity(),
        relation.identityIndexOid());
  }

  private RelationDefinition put(RelationDefinition told, int schemaOid) throws SQLException {
    RelationDefinition versioned = withVersion(told, catalog.nextOid());
    RelationDefinition holder = catalog.current().relation(told.name());
    SourceTables.Table moved =
        holder == null || holder.oid() == told.oid() ? null : tables.find(holder.oid());
    log.define(
        changes -> {
          putSchema(told.name().schema(), schemaOid, changes);
          if (holder != null && holder.oid() != told.oid()) {
            makeRoom(holder, moved, changes);
          }
          changes.put(versioned);
        });
    return versioned;
  }

  /** The name belongs to another table now: its holder was renamed or dropped. */
  private void makeRoom(
      RelationDefinition holder, SourceTables.Table moved, CatalogTransaction changes) {
    if (moved == null || moved.definition().name().equals(holder.name())) {
      changes.dropRelation(holder.oid());
      return;
    }
    changes.put(
        new RelationDefinition(
            holder.oid(),
            catalog.nextOid(),
            moved.definition().name(),
            holder.columns(),
            holder.indexes(),
            holder.replicaIdentity(),
            holder.identityIndexOid()));
  }

  private void putSchema(String name, int liveOid, CatalogTransaction changes) {
    SchemaDefinition known = changes.view().schema(name);
    if (known == null) {
      changes.put(new SchemaDefinition(liveOid == 0 ? catalog.nextOid() : liveOid, name));
    }
  }

  /**
   * Looks the publication's tables up. Those that are new are known at once; what changed in
   * others, and that tables are published no more, is kept for {@link #caughtUpTo}: changes from
   * before may still arrive.
   */
  void look(String publication) throws SQLException {
    List<SourceTables.Table> published = tables.published(publication);
    CatalogSnapshot current = catalog.current();
    Set<Integer> gone = new HashSet<>(current.relations().keySet());
    published.forEach(table -> gone.remove(table.definition().oid()));
    for (SourceTables.Table table : published) {
      RelationDefinition live = table.definition();
      if (current.relation(live.oid()) == null && current.relation(live.name()) == null) {
        put(live, table.schemaOid());
      }
    }
    boolean changed = !gone.isEmpty() || published.stream().anyMatch(this::isNews);
    seen = changed ? new Seen(published, gone, tables.position()) : null;
  }

  private boolean isNews(SourceTables.Table table) {
    RelationDefinition known = catalog.current().relation(table.definition().oid());
    return known == null || !sameContent(known, table.definition());
  }

  /** The stream has brought everything before {@code sourceLsn}. */
  void caughtUpTo(long sourceLsn) {
    if (seen == null || Lsn.isBefore(sourceLsn, seen.lsn)) {
      return;
    }
    Seen found = seen;
    seen = null;
    log.define(
        changes -> {
          found.gone.stream()
              .map(changes.view()::relation)
              .filter(Objects::nonNull)
              .forEach(table -> drop(table, changes));
          for (SourceTables.Table table : found.published) {
            RelationDefinition live = table.definition();
            RelationDefinition known = changes.view().relation(live.oid());
            if (known == null || !sameContent(known, live)) {
              putSchema(live.name().schema(), table.schemaOid(), changes);
              changes.put(withVersion(live, catalog.nextOid()));
            }
          }
        });
  }

  /** Its later changes do not arrive, so nobody may take it for replicated. */
  private static void drop(RelationDefinition table, CatalogTransaction changes) {
    LOG.warn("table \"{}\" is no longer published by the source", table.name());
    changes.dropRelation(table.oid());
  }

  private RelationDefinition definition(
      Relation message, RelationDefinition known, RelationDefinition live) {
    List<ColumnDefinition> columns = columns(message, live);
    List<IndexDefinition> indexes = live == null ? List.of() : live.indexes();
    if (columns == null) {
      columns = derivedColumns(message, known);
      indexes = List.of();
    }
    columns = columns.stream().map(this::named).toList();
    int identityIndex =
        live != null && live.replicaIdentity() == ReplicaIdentity.INDEX
            ? live.identityIndexOid()
            : 0;
    QualifiedName name = message.qualifiedName();
    RelationDefinition told =
        new RelationDefinition(
            message.relationOid(),
            0,
            name,
            columns,
            indexes,
            message.replicaIdentity(),
            message.replicaIdentity() == ReplicaIdentity.INDEX ? identityIndex : 0);
    return keysAgree(message, told) ? told : withToldKey(message, told);
  }

  /** The message's columns as the source's catalogue has them; null when the two differ. */
  private static List<ColumnDefinition> columns(Relation message, RelationDefinition live) {
    if (live == null) {
      return null;
    }
    List<ColumnDefinition> columns = new ArrayList<>();
    for (Relation.Column told : message.columns()) {
      int index = live.columnIndex(told.name());
      ColumnDefinition column = index < 0 ? null : live.columns().get(index);
      if (column == null
          || column.typeOid() != told.typeOid()
          || column.typeModifier() != told.typeModifier()) {
        return null;
      }
      columns.add(column);
    }
    return columns;
  }

  /** Columns of the same name keep their attribute numbers, others get new ones. */
  private static List<ColumnDefinition> derivedColumns(Relation message, RelationDefinition known) {
    int next = 1;
    if (known != null) {
      next = 1 + known.columns().stream().mapToInt(ColumnDefinition::attnum).max().orElse(0);
    }
    List<ColumnDefinition> columns = new ArrayList<>();
    for (Relation.Column told : message.columns()) {
      int index = known == null ? -1 : known.columnIndex(told.name());
      int attnum = index < 0 ? next++ : known.columns().get(index).attnum();
      columns.add(
          new ColumnDefinition(
              attnum,
              told.name(),
              told.typeOid(),
              told.typeModifier(),
              told.key(),
              (char) 0,
              (char) 0));
    }
    return columns;
  }

  private static boolean keysAgree(Relation message, RelationDefinition told) {
    if (told.replicaIdentity() == ReplicaIdentity.FULL) {
      return true;
    }
    IndexDefinition index = told.identityIndex();
    Set<Integer> shown = index == null ? Set.of() : new HashSet<>(index.attnums());
    for (int i = 0; i < message.columns().size(); i++) {
      if (message.columns().get(i).key() != shown.contains(told.columns().get(i).attnum())) {
        return false;
      }
    }
    return true;
  }

  /** The identity as the message marks it, under an index that stands for it. */
  private static RelationDefinition withToldKey(Relation message, RelationDefinition told) {
    List<Integer> key = new ArrayList<>();
    for (int i = 0; i < message.columns().size(); i++) {
      if (message.columns().get(i).key()) {
        key.add(told.columns().get(i).attnum());
      }
    }
    boolean primary = told.replicaIdentity() == ReplicaIdentity.DEFAULT;
    List<IndexDefinition> indexes = new ArrayList<>();
    if (!key.isEmpty()) {
      String name = told.name().name() + (primary ? "_pkey" : "_identity");
      indexes.add(new IndexDefinition(told.oid(), name, true, primary, key));
    }
    return new RelationDefinition(
        told.oid(),
        0,
        told.name(),
        told.columns(),
        indexes,
        told.replicaIdentity(),
        !primary && !key.isEmpty() ? told.oid() : 0);
  }
}
