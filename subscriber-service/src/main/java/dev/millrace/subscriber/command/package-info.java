/**
 * CREATE, ALTER and DROP SUBSCRIPTION: what they check, what they ask the publisher, what they
 * leave in the catalogue, and what a crash in their midst leaves to clean up.
 */
package dev.millrace.subscriber.command;
