package dev.millrace.publisher.wal;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.QualifiedName;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The body of a PREPARE record: what COMMIT would say, and what the transaction holds until it
 * ends, so that a start can take it up again.
 *
 * <pre>
 * prepare time 8, origin LSN 8, count 4, subxids 4 each, gid,
 * count 4, per lock: OID 4, exclusive 1,
 * count 4, per sequence that has begun anew: last value 8, schema, name
 * (names are UTF-8 with a length of 2 before it)
 * </pre>
 *
 * @param time microseconds since 2000-01-01 UTC
 * @param subxids the subtransactions that commit with it
 * @param locks the table locks it holds
 * @param restarts where sequences go on that TRUNCATE .. RESTART IDENTITY let begin anew
 */
public record PrepareRecord(
    long time,
    long originLsn,
    List<Integer> subxids,
    String gid,
    List<Lock> locks,
    List<Restart> restarts) {

  /** Flag of the record header: the transaction changed something, if only what was undone. */
  public static final int CHANGED = 1;

  /** A table lock by the OID it stands for. */
  public record Lock(int oid, boolean exclusive) {}

  /** A sequence that goes on after a value if the transaction commits. */
  public record Restart(QualifiedName sequence, long lastValue) {}

  /** Appends the body. */
  public void encode(ByteBuilder out) {
    out.putLong(time).putLong(originLsn).putInt(subxids.size());
    subxids.forEach(out::putInt);
    out.putName(gid).putInt(locks.size());
    for (Lock lock : locks) {
      out.putInt(lock.oid).putByte(lock.exclusive ? 1 : 0);
    }
    out.putInt(restarts.size());
    for (Restart restart : restarts) {
      QualifiedName sequence = restart.sequence;
      out.putLong(restart.lastValue).putName(sequence.schema()).putName(sequence.name());
    }
  }

  /** Reads the body at {@code offset}. */
  public static PrepareRecord decode(byte[] buffer, int offset, int length) {
    ByteBuffer in = ByteBuffer.wrap(buffer, offset, length);
    long time = in.getLong();
    long originLsn = in.getLong();
    List<Integer> subxids = subxids(in);
    String gid = name(in);
    List<Lock> locks = new ArrayList<>();
    for (int left = in.getInt(); left > 0; left--) {
      locks.add(new Lock(in.getInt(), in.get() != 0));
    }
    List<Restart> restarts = new ArrayList<>();
    for (int left = in.getInt(); left > 0; left--) {
      long lastValue = in.getLong();
      String schema = name(in);
      restarts.add(new Restart(new QualifiedName(schema, name(in)), lastValue));
    }
    return new PrepareRecord(time, originLsn, subxids, gid, locks, restarts);
  }

  static List<Integer> subxids(ByteBuffer in) {
    List<Integer> subxids = new ArrayList<>();
    for (int left = in.getInt(); left > 0; left--) {
      subxids.add(in.getInt());
    }
    return subxids;
  }

  static String name(ByteBuffer in) {
    byte[] utf8 = new byte[in.getShort() & 0xFFFF];
    in.get(utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }
}
