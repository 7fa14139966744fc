/**
 * The write-ahead log: segments of records, group flush, recovery of a torn tail, and readers that
 * never pass the flushed position. It knows bytes and positions, nothing of SQL.
 */
package dev.millrace.publisher.wal;
