/**
 * Subscriptions, the state of their tables, origins and statistics; kept in the target database.
 */
package dev.millrace.subscriber.catalog;
