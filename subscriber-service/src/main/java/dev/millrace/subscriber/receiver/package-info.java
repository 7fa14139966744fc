/** The walreceiver: the WebSocket client, its bounded queue, and feedback to the publisher. */
package dev.millrace.subscriber.receiver;
