package dev.millrace.subscriber.catalog;

import java.time.Instant;

/**
 * Why a subscription was disabled (disable_on_error).
 *
 * @param message the error with its detail, hint and context
 * @param lsn the finish LSN of the transaction, which SKIP takes; 0 when none was being applied
 */
public record SubscriptionError(String message, Instant time, long lsn) {}
