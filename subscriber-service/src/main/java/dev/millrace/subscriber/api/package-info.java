/** The subscriber's REST interface and the SUBSCRIPTION commands behind it. */
package dev.millrace.subscriber.api;
