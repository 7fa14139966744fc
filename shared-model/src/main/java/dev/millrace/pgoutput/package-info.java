/**
 * The messages of PostgreSQL's logical replication protocol (pgoutput), their writer and their
 * reader side by side.
 */
package dev.millrace.pgoutput;
