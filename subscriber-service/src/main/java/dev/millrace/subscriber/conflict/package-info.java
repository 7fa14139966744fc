/** Rows that are not as the change expects: logged, counted, listed. */
package dev.millrace.subscriber.conflict;
