package dev.millrace.publisher.decoding;

import dev.millrace.publisher.wal.WalReader;

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
    String originName) {

  /**
   * The transaction whose end the reader stands on.
   *
   * @param time and {@code originLsn}: what the record says
   */
  static DecodedTransaction endedBy(
      WalReader reader, long firstLsn, long time, long originLsn, OriginNames origins) {
    return new DecodedTransaction(
        reader.xid(),
        firstLsn,
        reader.lsn(),
        reader.endLsn(),
        time,
        reader.originId(),
        originLsn,
        origins.nameOf(reader.originId()));
  }
}
