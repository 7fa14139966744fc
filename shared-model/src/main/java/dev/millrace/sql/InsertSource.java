package dev.millrace.sql;

import java.util.List;

/**
 * The rows an INSERT adds.
 *
 * @param columns the columns named, null for all
 * @param overriding H2's OVERRIDING clause, or empty
 * @param from the first token of VALUES or the query
 * @param to the token behind it
 */
record InsertSource(List<String> columns, String overriding, int from, int to) {}
