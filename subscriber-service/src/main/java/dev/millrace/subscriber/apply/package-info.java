/**
 * The apply worker: messages become one local transaction per remote one, progress stored in it.
 */
package dev.millrace.subscriber.apply;
