/** The initial copy of a table, its catch-up and the hand-over to the apply worker. */
package dev.millrace.subscriber.tablesync;
