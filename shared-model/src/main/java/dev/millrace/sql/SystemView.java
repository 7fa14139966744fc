package dev.millrace.sql;

import java.util.List;
import java.util.function.Supplier;

/**
 * A pg_ view whose rows come from memory, such as pg_replication_slots. It appears as a view of
 * schema {@code pg_catalog_millrace} in H2, which stands first in the search path of every session.
 *
 * @param columns name and PostgreSQL type name, in PostgreSQL 18's order
 * @param rows the rows at the time of the call; values as JDBC takes them for the type; called on
 *     the query's thread
 */
public record SystemView(String name, List<ResultColumn> columns, Supplier<List<Object[]>> rows) {}
