package dev.millrace.model;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A growing big-endian byte buffer: log records, protocol messages and text values are encoded into
 * it. One thread.
 */
public final class ByteBuilder {

  private byte[] bytes;
  private int size;

  public ByteBuilder(int initialCapacity) {
    bytes = new byte[initialCapacity];
  }

  public ByteBuilder putByte(int value) {
    ensure(1);
    bytes[size++] = (byte) value;
    return this;
  }

  public ByteBuilder putShort(int value) {
    ensure(2);
    bytes[size++] = (byte) (value >>> 8);
    bytes[size++] = (byte) value;
    return this;
  }

  public ByteBuilder putInt(int value) {
    ensure(4);
    setInt(size, value);
    size += 4;
    return this;
  }

  public ByteBuilder putLong(long value) {
    putInt((int) (value >>> 32));
    return putInt((int) value);
  }

  public ByteBuilder putBytes(byte[] source, int offset, int length) {
    ensure(length);
    System.arraycopy(source, offset, bytes, size, length);
    size += length;
    return this;
  }

  /** A zero-terminated UTF-8 string of the protocol. */
  public ByteBuilder putCString(String text) {
    putUtf8(text);
    return putByte(0);
  }

  public ByteBuilder putUtf8(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    return putBytes(utf8, 0, utf8.length);
  }

  public void setInt(int offset, int value) {
    bytes[offset] = (byte) (value >>> 24);
    bytes[offset + 1] = (byte) (value >>> 16);
    bytes[offset + 2] = (byte) (value >>> 8);
    bytes[offset + 3] = (byte) value;
  }

  public void setLong(int offset, long value) {
    setInt(offset, (int) (value >>> 32));
    setInt(offset + 4, (int) value);
  }

  /** A UTF-8 string with its length of two bytes before it. */
  public ByteBuilder putName(String name) {
    byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
    putShort(utf8.length);
    return putBytes(utf8, 0, utf8.length);
  }

  /**
   * Makes room for {@code length} bytes and returns the array to write them into at {@link
   * #size()}; see {@link #advance}.
   */
  public byte[] reserve(int length) {
    ensure(length);
    return bytes;
  }

  /** Counts bytes written into {@link #reserve}'s array. */
  public void advance(int length) {
    size += length;
  }

  public void truncate(int newSize) {
    size = newSize;
  }

  public int size() {
    return size;
  }

  public byte[] array() {
    return bytes;
  }

  private void ensure(int length) {
    int needed = Math.addExact(size, length);
    if (needed > bytes.length) {
      bytes =
          Arrays.copyOf(
              bytes, Math.max(needed, (int) Math.min(Integer.MAX_VALUE - 8L, bytes.length * 2L)));
    }
  }
}
