/** What an H2 database needs beyond its own promises to be a heap that survives a kill. */
package dev.millrace.heap;
