package dev.millrace.publisher.slots;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.zip.CRC32C;

/**
 * What a slot's {@code state} file holds. Integers are big-endian; a name is its length in two
 * bytes and UTF-8.
 *
 * <pre>
 * offset size
 *      0    4  magic 0x4D52534C ("MRSL")
 *      4    4  format version
 *      8    4  length of the body
 *     12    4  CRC-32C of the body
 *     16    .  body: flags 4 (1 logical, 2 two_phase, 4 failover), name, plugin, database,
 *              restart_lsn 8, confirmed_flush_lsn 8, catalog_xmin 8, invalidation reason (empty = valid),
 *              eight counters of 8 each in the order of pg_stat_replication_slots,
 *              stats_reset 8 (milliseconds since 1970, 0 = never), with two_phase: two_phase_at 8
 * </pre>
 *
 * The file is never written in place: it is written aside, forced and renamed, so a torn write
 * leaves the old one. A file that does not match its CRC is therefore damage, never a torn tail.
 */
record SlotState(
    String name,
    boolean logical,
    boolean twoPhase,
    boolean failover,
    String plugin,
    String database,
    long restartLsn,
    long confirmedFlushLsn,
    long catalogXmin,
    String invalidationReason,
    long[] counters,
    Instant statsReset,
    long twoPhaseAt) {

  static final int MAGIC = 0x4D52534C;
  static final int VERSION = 1;
  static final int HEADER_SIZE = 16;
  static final int COUNTERS = 8;

  byte[] encode() {
    ByteBuilder out = new ByteBuilder(256);
    out.putInt(MAGIC).putInt(VERSION).putInt(0).putInt(0);
    out.putInt((logical ? 1 : 0) | (twoPhase ? 2 : 0) | (failover ? 4 : 0));
    out.putName(name).putName(orEmpty(plugin)).putName(orEmpty(database));
    out.putLong(restartLsn).putLong(confirmedFlushLsn).putLong(catalogXmin);
    out.putName(orEmpty(invalidationReason));
    for (long counter : counters) {
      out.putLong(counter);
    }
    out.putLong(statsReset == null ? 0 : statsReset.toEpochMilli());
    if (twoPhase) {
      out.putLong(twoPhaseAt);
    }
    byte[] bytes = java.util.Arrays.copyOf(out.array(), out.size());
    out.setInt(8, bytes.length - HEADER_SIZE);
    out.setInt(12, crc(bytes));
    return java.util.Arrays.copyOf(out.array(), out.size());
  }

  /**
   * @param source names the file in errors
   * @throws PgException XX001 when the bytes are not a whole state of this format
   */
  static SlotState decode(byte[] bytes, String source) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    try {
      expect(source, "magic number", MAGIC, in.getInt());
      expect(source, "version", VERSION, in.getInt());
      expect(source, "length", bytes.length - HEADER_SIZE, in.getInt());
      expect(source, "checksum", crc(bytes), in.getInt());
      SlotState state = decodeBody(in);
      expect(source, "number of trailing bytes", 0, in.remaining());
      return state;
    } catch (BufferUnderflowException e) {
      throw damaged(source, "is " + bytes.length + " bytes long, which is too short");
    }
  }

  private static SlotState decodeBody(ByteBuffer in) {
    int flags = in.getInt();
    String name = getName(in);
    String plugin = getName(in);
    String database = getName(in);
    long restartLsn = in.getLong();
    long confirmedFlushLsn = in.getLong();
    long catalogXmin = in.getLong();
    String reason = getName(in);
    long[] counters = new long[COUNTERS];
    for (int i = 0; i < COUNTERS; i++) {
      counters[i] = in.getLong();
    }
    long reset = in.getLong();
    long twoPhaseAt = (flags & 2) != 0 ? in.getLong() : 0;
    return new SlotState(
        name,
        (flags & 1) != 0,
        (flags & 2) != 0,
        (flags & 4) != 0,
        orNull(plugin),
        orNull(database),
        restartLsn,
        confirmedFlushLsn,
        catalogXmin,
        orNull(reason),
        counters,
        reset == 0 ? null : Instant.ofEpochMilli(reset),
        twoPhaseAt);
  }

  private static String getName(ByteBuffer in) {
    byte[] utf8 = new byte[in.getShort() & 0xFFFF];
    in.get(utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }

  private static int crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, HEADER_SIZE, Math.max(0, bytes.length - HEADER_SIZE));
    return (int) crc.getValue();
  }

  private static void expect(String source, String what, int expected, int actual) {
    if (expected != actual) {
      throw damaged(source, "has " + what + " " + actual + " instead of " + expected);
    }
  }

  private static PgException damaged(String source, String how) {
    return new PgException(
            SqlState.DATA_CORRUPTED, "replication slot file \"" + source + "\" " + how)
        .withHint(
            "Restore the file, or remove the slot's directory and create the slot and its"
                + " consumer's data anew.");
  }

  private static String orEmpty(String text) {
    return text == null ? "" : text;
  }

  private static String orNull(String text) {
    return text.isEmpty() ? null : text;
  }
}
