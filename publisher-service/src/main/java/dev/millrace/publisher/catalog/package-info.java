/**
 * What the node's objects are and were: tables, publications, OIDs, each definition valid from the
 * LSN of the commit that made it. The log's CATALOG records are the truth; the JPA tables are their
 * projection.
 */
package dev.millrace.publisher.catalog;
