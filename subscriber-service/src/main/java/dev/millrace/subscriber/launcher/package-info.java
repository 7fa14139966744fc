/**
 * Which workers run: one apply worker per enabled subscription and the table synchronization
 * workers, within the limits.
 */
package dev.millrace.subscriber.launcher;
