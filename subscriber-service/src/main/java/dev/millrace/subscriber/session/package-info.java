/**
 * SQL sessions on the target database: the user's statements on plain H2, the SUBSCRIPTION
 * commands, and the pg_ views that show what is subscribed.
 */
package dev.millrace.subscriber.session;
