/**
 * {@code bin/bench}: both services as processes with 512 MB of heap each, loaded over HTTP as a
 * script would, measured from outside. The row is the one PostgreSQL's own figures were taken with:
 * an int key, a short text, an int.
 */
package dev.millrace.tools.bench;
