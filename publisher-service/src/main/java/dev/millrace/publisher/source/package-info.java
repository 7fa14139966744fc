/**
 * A PostgreSQL server as the source of this publisher's log: one logical slot there is read by
 * {@link dev.millrace.publisher.source.SourceReceiver}, what arrives is written into the own log by
 * {@link dev.millrace.publisher.source.StreamWriter}, and only what is on the own disk is
 * confirmed. Everything behind the log - slots, filters, walsenders - works as it does over the
 * embedded database.
 */
package dev.millrace.publisher.source;
