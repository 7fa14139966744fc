/**
 * The start after a crash: what the log says is committed and H2 does not have is applied again,
 * and what did not end is ended.
 */
package dev.millrace.publisher.recovery;
