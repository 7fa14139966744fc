/**
 * Logical decoding, one visible chain: WAL reader, gates, ReorderBuffer, output plugin, and whoever
 * reads the slot.
 */
package dev.millrace.publisher.decoding;
