/** The embedded database held against a real PostgreSQL. */
package dev.millrace.publisher.decoding.differential;
