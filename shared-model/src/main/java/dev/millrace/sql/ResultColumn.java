package dev.millrace.sql;

/**
 * A column of a result.
 *
 * @param type PostgreSQL's name of its type ({@code int4}, {@code text}, {@code timestamptz})
 */
public record ResultColumn(String name, String type) {}
