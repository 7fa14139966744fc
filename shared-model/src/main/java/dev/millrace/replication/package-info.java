/**
 * The replication conversation around the messages: CopyData, XLogData, keepalive, status update,
 * and the replication command grammar.
 */
package dev.millrace.replication;
