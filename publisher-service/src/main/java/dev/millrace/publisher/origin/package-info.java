/**
 * Where transactions came from before they were written here: replication origins, their names and
 * numbers, how far each has been replayed, and the session that replays one. Every record of the
 * log carries the number of its session's origin, 0 for a local one.
 */
package dev.millrace.publisher.origin;
