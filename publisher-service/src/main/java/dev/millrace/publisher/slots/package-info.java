/**
 * Replication slots: who may read what of the log from where, kept in {@code
 * pg_replslot/<slot>/state} and surviving crashes. They hold back the log and the catalogue's
 * history.
 */
package dev.millrace.publisher.slots;
