package dev.millrace.publisher.decoding;

/**
 * The transaction a plugin callback is about.
 *
 * @param firstLsn LSN of its first change
 * @param finalLsn LSN of its commit record's first byte
 * @param endLsn position after its commit record
 * @param commitTime microseconds since 2000-01-01 UTC
 * @param originId 0 = local
 * @param originLsn position of its commit at the origin; 0 while not known
 * @param originName null for a local one, and when the origin is not there any more
 */
public record DecodedTransaction(
    int xid,
    long firstLsn,
    long finalLsn,
    long endLsn,
    long commitTime,
    int originId,
    long originLsn,
    String originName) {}
