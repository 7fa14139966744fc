/**
 * The output plugins that come with the publisher: {@code pgoutput}, the protocol of subscriptions,
 * and {@code test_decoding}, text for people.
 */
package dev.millrace.publisher.decoding.plugins;
