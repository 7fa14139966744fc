/**
 * The target database as the workers need it: connections, table definitions under lasting OIDs,
 * durability on demand, referential integrity off while tables are subscribed.
 */
package dev.millrace.subscriber.target;
