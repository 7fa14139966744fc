/**
 * The walsender: replication commands in, results and the decoded stream out, feedback back to the
 * slot. The session knows no transport; the WebSocket endpoint is one.
 */
package dev.millrace.publisher.walsender;
