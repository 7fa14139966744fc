package dev.millrace.subscriber.fake;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;
import dev.millrace.model.ReplicaIdentity;
import dev.millrace.pgoutput.Begin;
import dev.millrace.pgoutput.Commit;
import dev.millrace.pgoutput.Delete;
import dev.millrace.pgoutput.Insert;
import dev.millrace.pgoutput.PgOutputMessage;
import dev.millrace.pgoutput.Relation;
import dev.millrace.pgoutput.Truncate;
import dev.millrace.pgoutput.TupleData;
import dev.millrace.pgoutput.Update;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** pgoutput messages as tests write them. */
public final class Messages {

  /** Stands for an unchanged large value in {@link #tuple}. */
  public static final String UNCHANGED = "\u0000unchanged";

  private Messages() {}

  public static byte[] bytes(PgOutputMessage message) {
    ByteBuilder out = new ByteBuilder(64);
    message.write(out);
    return Arrays.copyOf(out.array(), out.size());
  }

  public static Begin begin(long commitLsn, int xid) {
    return new Begin(commitLsn, 1_000, xid);
  }

  public static Commit commit(long commitLsn, long endLsn) {
    return new Commit(commitLsn, endLsn, 1_000);
  }

  /**
   * @param columns names; a key column is marked by a star behind its name
   */
  public static Relation relation(
      int oid, String table, ReplicaIdentity identity, String... columns) {
    List<Relation.Column> described = new ArrayList<>();
    for (String column : columns) {
      boolean key = column.endsWith("*") || identity == ReplicaIdentity.FULL;
      described.add(new Relation.Column(key, column.replace("*", ""), 25, -1));
    }
    return new Relation(0, oid, "public", table, identity, described);
  }

  public static Insert insert(int oid, String... values) {
    return new Insert(0, oid, tuple(values));
  }

  public static Update update(int oid, String... values) {
    return new Update(0, oid, (char) 0, null, tuple(values));
  }

  public static Update update(int oid, char kind, String[] old, String... values) {
    return new Update(0, oid, kind, tuple(old), tuple(values));
  }

  public static Delete delete(int oid, char kind, String... old) {
    return new Delete(0, oid, kind, tuple(old));
  }

  public static Truncate truncate(int flags, Integer... oids) {
    return new Truncate(0, flags, List.of(oids));
  }

  /** Text values; null is NULL. */
  public static TupleData tuple(String... values) {
    ByteBuilder out = new ByteBuilder(64).putShort(values.length);
    for (String value : values) {
      if (value == null) {
        out.putByte('n');
      } else if (value.equals(UNCHANGED)) {
        out.putByte('u');
      } else {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        out.putByte('t').putInt(utf8.length).putBytes(utf8, 0, utf8.length);
      }
    }
    return TupleData.read(new ByteCursor().wrap("tuple", out.array(), 0, out.size()), "tuple");
  }
}
