/**
 * SQL as people type it for PostgreSQL: splitting, parsing, rewriting for H2, and sessions that
 * keep a transaction.
 */
package dev.millrace.sql;
