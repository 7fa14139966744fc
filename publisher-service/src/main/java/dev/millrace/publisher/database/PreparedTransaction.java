package dev.millrace.publisher.database;

/**
 * A transaction that was prepared and has not ended: its connection to H2 is open, with its rows
 * and row locks, and its table locks are held.
 *
 * @param prepareTime microseconds since 2000-01-01 UTC
 * @param prepareLsn the first byte of its PREPARE record
 * @param prepareEndLsn the byte after it
 * @param changed whether it changed anything
 */
record PreparedTransaction(
    String gid,
    NodeTransaction transaction,
    long prepareTime,
    long prepareLsn,
    long prepareEndLsn,
    boolean changed) {}
