/** The publisher's REST interface. */
package dev.millrace.publisher.api;
