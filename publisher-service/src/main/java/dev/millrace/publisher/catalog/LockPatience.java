package dev.millrace.publisher.catalog;

/**
 * How long a statement waits for another transaction's lock.
 *
 * @param lockTimeoutMs lock_timeout, 0 = for ever
 * @param check asked now and then while waiting; throws when the statement is to stop
 */
public record LockPatience(long lockTimeoutMs, Runnable check) {

  static final LockPatience ENDLESS = new LockPatience(0, () -> {});
}
