package dev.millrace.sql;

/**
 * The unique index by which an INSERT .. ON CONFLICT that became a MERGE finds its conflicts.
 *
 * @param index its name
 * @param keyChanged the statement proposes one row and sets another key, which may be taken: a
 *     violation of the index is then its own
 */
public record ConflictArbiter(String index, boolean keyChanged) {}
