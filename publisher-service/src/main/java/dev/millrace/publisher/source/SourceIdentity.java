package dev.millrace.publisher.source;

import dev.millrace.model.DurableFiles;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * Which server and slot this node's log was taken from: the file {@code
 * <data-dir>/global/pg_source}. It is written before the slot is made, so that a slot left by a
 * crash is known as ours, and again when the slot is there; from then on the positions in the log
 * count.
 *
 * <pre>
 * offset size
 *      0    8  magic "MILLSRCE"
 *      8    4  version, 1
 *     12    4  1 = the slot is ready, 0 = it is being made
 *     16    8  system identifier of the server
 *     24    4  its timeline
 *     28    8  the slot's consistent point, 0 while it is being made
 *     36    2  length of the slot's name, then the name in UTF-8
 *      .    4  CRC-32C of everything before
 * </pre>
 */
record SourceIdentity(
    boolean ready, long systemIdentifier, int timeline, long startLsn, String slotName) {

  private static final long MAGIC = 0x4D494C4C53524345L;
  private static final int VERSION = 1;
  private static final int NAME = 38;

  static Path fileIn(Path dataDirectory) {
    return dataDirectory.resolve("global").resolve("pg_source");
  }

  /** Null when this node has not taken anything yet. */
  static SourceIdentity read(Path file) {
    try {
      return Files.exists(file) ? decode(Files.readAllBytes(file)) : null;
    } catch (IOException e) {
      throw failed(file, e);
    }
  }

  /** Replaces the file; durable when the call returns. */
  void write(Path file) {
    try {
      DurableFiles.createDirectories(file.toAbsolutePath().getParent());
      DurableFiles.replace(file, encode());
    } catch (IOException e) {
      throw failed(file, e);
    }
  }

  SourceIdentity withTimeline(int newTimeline) {
    return new SourceIdentity(ready, systemIdentifier, newTimeline, startLsn, slotName);
  }

  byte[] encode() {
    byte[] name = slotName.getBytes(StandardCharsets.UTF_8);
    ByteBuffer out = ByteBuffer.allocate(NAME + name.length + 4);
    out.putLong(MAGIC).putInt(VERSION).putInt(ready ? 1 : 0);
    out.putLong(systemIdentifier).putInt(timeline).putLong(startLsn);
    out.putShort((short) name.length).put(name);
    return out.putInt(crc(out.array(), out.position())).array();
  }

  static SourceIdentity decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (bytes.length < NAME + 4 || in.getLong() != MAGIC || in.getInt() != VERSION) {
      throw damaged();
    }
    boolean ready = in.getInt() != 0;
    long systemIdentifier = in.getLong();
    int timeline = in.getInt();
    long startLsn = in.getLong();
    byte[] name = new byte[in.getShort() & 0xFFFF];
    if (NAME + name.length + 4 != bytes.length) {
      throw damaged();
    }
    in.get(name);
    if (in.getInt() != crc(bytes, bytes.length - 4)) {
      throw damaged();
    }
    return new SourceIdentity(
        ready, systemIdentifier, timeline, startLsn, new String(name, StandardCharsets.UTF_8));
  }

  private static int crc(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  private static PgException damaged() {
    return new PgException(SqlState.DATA_CORRUPTED, "the file global/pg_source is damaged");
  }

  private static PgException failed(Path file, IOException e) {
    return new PgException(
        SqlState.IO_ERROR, "could not access file \"" + file + "\": " + e.getMessage(), e);
  }
}
