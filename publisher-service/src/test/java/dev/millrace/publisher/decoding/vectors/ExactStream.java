package dev.millrace.publisher.decoding.vectors;

import dev.millrace.model.ByteBuilder;
import dev.millrace.pgoutput.Begin;
import dev.millrace.pgoutput.BeginPrepare;
import dev.millrace.pgoutput.Commit;
import dev.millrace.pgoutput.CommitPrepared;
import dev.millrace.pgoutput.Delete;
import dev.millrace.pgoutput.Insert;
import dev.millrace.pgoutput.LogicalMessage;
import dev.millrace.pgoutput.Origin;
import dev.millrace.pgoutput.PgOutputMessage;
import dev.millrace.pgoutput.PgOutputReader;
import dev.millrace.pgoutput.Prepare;
import dev.millrace.pgoutput.Relation;
import dev.millrace.pgoutput.RollbackPrepared;
import dev.millrace.pgoutput.StreamAbort;
import dev.millrace.pgoutput.StreamCommit;
import dev.millrace.pgoutput.StreamPrepare;
import dev.millrace.pgoutput.StreamStart;
import dev.millrace.pgoutput.StreamStop;
import dev.millrace.pgoutput.Truncate;
import dev.millrace.pgoutput.Type;
import dev.millrace.pgoutput.Update;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * A stream of pgoutput messages byte for byte, with what differs from run to run replaced: OIDs and
 * xids by numbers in the order they appear, LSNs and times by 1. Left out is what is free: Relation
 * and Type messages equal to the last one, and the limits of stream blocks.
 */
public final class ExactStream {

  private static final int FIRST_OWN_OID = 10_000;

  private final Map<Integer, Integer> oids = new HashMap<>();
  private final Map<Integer, Integer> xids = new HashMap<>();
  private final Map<Integer, PgOutputMessage> told = new HashMap<>();
  private final List<String> lines = new ArrayList<>();

  private ExactStream() {}

  /** Each message as its type, its bytes in hexadecimal, and in words. */
  public static List<String> of(List<byte[]> messages, boolean parallel) {
    ExactStream stream = new ExactStream();
    PgOutputReader reader = new PgOutputReader(parallel);
    for (byte[] message : messages) {
      stream.add(reader.read(message, 0, message.length));
    }
    return stream.lines;
  }

  private void add(PgOutputMessage message) {
    if (message instanceof StreamStart start) {
      xid(start.xid());
      return;
    }
    if (message instanceof StreamStop) {
      return;
    }
    PgOutputMessage canonical = canonical(message);
    if (canonical instanceof Relation relation && told(relation.relationOid(), relation)) {
      return;
    }
    if (canonical instanceof Type type && told(-type.typeOid(), type)) {
      return;
    }
    ByteBuilder out = new ByteBuilder(64);
    canonical.write(out);
    lines.add(
        canonical.type()
            + " "
            + HexFormat.of().formatHex(out.array(), 0, out.size())
            + " "
            + (canonical instanceof LogicalMessage m ? m.prefix() : canonical));
  }

  private boolean told(int key, PgOutputMessage message) {
    return message.equals(told.put(key, message));
  }

  private int oid(int oid) {
    return oids.computeIfAbsent(oid, key -> oids.size() + 1);
  }

  private int type(int oid) {
    return oid >= FIRST_OWN_OID ? FIRST_OWN_OID + oid(oid) : oid;
  }

  private int xid(int xid) {
    return xid == 0 ? 0 : xids.computeIfAbsent(xid, key -> xids.size() + 1);
  }

  private PgOutputMessage canonical(PgOutputMessage message) {
    if (message instanceof Insert m) {
      return new Insert(xid(m.streamXid()), oid(m.relationOid()), m.newTuple());
    } else if (message instanceof Update m) {
      return new Update(
          xid(m.streamXid()), oid(m.relationOid()), m.oldKind(), m.oldTuple(), m.newTuple());
    } else if (message instanceof Delete m) {
      return new Delete(xid(m.streamXid()), oid(m.relationOid()), m.oldKind(), m.oldTuple());
    } else if (message instanceof Truncate m) {
      return new Truncate(
          xid(m.streamXid()), m.flags(), m.relationOids().stream().map(this::oid).toList());
    } else if (message instanceof Relation m) {
      return relation(m);
    } else if (message instanceof Type m) {
      return new Type(0, type(m.typeOid()), m.namespace(), m.name());
    } else if (message instanceof LogicalMessage m) {
      return new LogicalMessage(xid(m.streamXid()), m.transactional(), 1, m.prefix(), m.content());
    } else if (message instanceof Origin m) {
      return new Origin(1, m.name());
    }
    return ending(message);
  }

  private PgOutputMessage ending(PgOutputMessage message) {
    if (message instanceof Begin m) {
      return new Begin(1, 1, xid(m.xid()));
    } else if (message instanceof Commit) {
      return new Commit(1, 1, 1);
    } else if (message instanceof StreamAbort m) {
      long set = m.abortLsn() == 0 ? 0 : 1;
      return new StreamAbort(xid(m.xid()), xid(m.subxid()), set, set);
    } else if (message instanceof StreamCommit m) {
      return new StreamCommit(xid(m.xid()), 1, 1, 1);
    } else if (message instanceof BeginPrepare m) {
      return new BeginPrepare(1, 1, 1, xid(m.xid()), m.gid());
    } else if (message instanceof Prepare m) {
      return new Prepare(1, 1, 1, xid(m.xid()), m.gid());
    } else if (message instanceof StreamPrepare m) {
      return new StreamPrepare(1, 1, 1, xid(m.xid()), m.gid());
    } else if (message instanceof CommitPrepared m) {
      return new CommitPrepared(1, 1, 1, xid(m.xid()), m.gid());
    } else if (message instanceof RollbackPrepared m) {
      return new RollbackPrepared(1, 1, 1, 1, xid(m.xid()), m.gid());
    }
    throw new AssertionError("unexpected " + message);
  }

  /** Whether it belongs to a streamed transaction does not make a definition another. */
  private Relation relation(Relation m) {
    List<Relation.Column> columns = new ArrayList<>();
    for (Relation.Column column : m.columns()) {
      columns.add(
          new Relation.Column(
              column.key(), column.name(), type(column.typeOid()), column.typeModifier()));
    }
    return new Relation(
        0, oid(m.relationOid()), m.namespace(), m.name(), m.replicaIdentity(), columns);
  }
}
