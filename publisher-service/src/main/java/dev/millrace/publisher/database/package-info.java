/**
 * The publisher's sessions on its embedded H2 database: every statement enters here, a row trigger
 * captures each changed row, and the transaction's records and commit go through the log before H2
 * makes them visible.
 */
package dev.millrace.publisher.database;
