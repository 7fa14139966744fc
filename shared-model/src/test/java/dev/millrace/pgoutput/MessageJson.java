package dev.millrace.pgoutput;

import dev.millrace.model.Lsn;
import dev.millrace.model.PgTime;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Shows a message in the form of the captured scenarios' field {@code decoded}. */
final class MessageJson {

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private final Map<String, Object> fields = new LinkedHashMap<>();

  static Map<String, Object> of(PgOutputMessage message) {
    MessageJson json = new MessageJson();
    json.put("type", message.type().title());
    json.put("tag", String.valueOf((char) message.type().code()));
    json.putBody(message);
    return json.fields;
  }

  private MessageJson put(String name, Object value) {
    fields.put(name, value);
    return this;
  }

  private MessageJson lsn(String name, long lsn) {
    return put(name, Lsn.format(lsn));
  }

  private MessageJson time(String name, long micros) {
    put(name, TIME.format(PgTime.toInstant(micros)));
    return put(name + "_us", micros);
  }

  private MessageJson xid(String name, int xid) {
    return put(name, Integer.toUnsignedLong(xid));
  }

  private void streamXid(int xid) {
    if (xid != 0) {
      xid("stream_xid", xid);
    }
  }

  private void putBody(PgOutputMessage message) {
    if (message instanceof Begin m) {
      lsn("final_lsn", m.finalLsn()).time("commit_time", m.commitTime()).xid("xid", m.xid());
    } else if (message instanceof Commit m) {
      put("flags", 0).lsn("commit_lsn", m.commitLsn()).lsn("end_lsn", m.endLsn());
      time("commit_time", m.commitTime());
    } else if (message instanceof Origin m) {
      lsn("origin_lsn", m.originLsn()).put("name", m.name());
    } else if (message instanceof LogicalMessage m) {
      logicalMessage(m);
    } else if (message instanceof Relation m) {
      relation(m);
    } else if (message instanceof Type m) {
      streamXid(m.streamXid());
      xid("type_oid", m.typeOid()).put("namespace", m.namespace()).put("name", m.name());
    } else if (message instanceof RowChange m) {
      rowChange(m);
    } else if (message instanceof Truncate m) {
      streamXid(m.streamXid());
      put("flags", m.flags()).put("cascade", m.cascade());
      put("restart_identity", m.restartIdentity());
      put("relation_oids", m.relationOids().stream().map(Integer::toUnsignedLong).toList());
    } else {
      streamOrPrepare(message);
    }
  }

  private void logicalMessage(LogicalMessage m) {
    streamXid(m.streamXid());
    put("flags", m.transactional() ? 1 : 0).put("transactional", m.transactional());
    lsn("lsn", m.lsn()).put("prefix", m.prefix());
    put("content_hex", HexFormat.of().formatHex(m.content()));
    try {
      String text =
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(m.content())).toString();
      put("content", text);
    } catch (CharacterCodingException e) {
      fields.remove("content"); // Only shown where it is valid text.
    }
  }

  private void relation(Relation m) {
    streamXid(m.streamXid());
    xid("relation_oid", m.relationOid()).put("namespace", m.namespace()).put("name", m.name());
    put("replica_identity", String.valueOf(m.replicaIdentity().code()));
    List<Object> columns = new ArrayList<>();
    for (Relation.Column column : m.columns()) {
      Map<String, Object> shown = new LinkedHashMap<>();
      shown.put("flags", column.key() ? 1 : 0);
      shown.put("name", column.name());
      shown.put("type_oid", Integer.toUnsignedLong(column.typeOid()));
      shown.put("type_mod", column.typeModifier());
      columns.add(shown);
    }
    put("columns", columns);
  }

  private void rowChange(RowChange change) {
    streamXid(change.streamXid());
    xid("relation_oid", change.relationOid());
    if (change instanceof Insert m) {
      put("new", tuple(m.newTuple()));
    } else if (change instanceof Update m) {
      if (m.oldKind() != 0) {
        put(m.oldKind() == 'K' ? "key" : "old", tuple(m.oldTuple()));
      }
      put("new", tuple(m.newTuple()));
    } else if (change instanceof Delete m) {
      put(m.oldKind() == 'K' ? "key" : "old", tuple(m.oldTuple()));
    }
  }

  private static List<Object> tuple(TupleData tuple) {
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < tuple.columns(); i++) {
      switch (tuple.kind(i)) {
        case 'n' -> values.add(null);
        case 'u' -> values.add(Map.of("unchanged", true));
        case 't' -> values.add(tuple.text(i));
        default -> {
          int from = tuple.valueOffset(i);
          int to = from + tuple.valueLength(i);
          values.add(Map.of("binary", HexFormat.of().formatHex(tuple.buffer(), from, to)));
        }
      }
    }
    return values;
  }

  private void streamOrPrepare(PgOutputMessage message) {
    if (message instanceof StreamStart m) {
      xid("xid", m.xid()).put("first_segment", m.firstSegment() ? 1 : 0);
    } else if (message instanceof StreamCommit m) {
      xid("xid", m.xid()).put("flags", 0).lsn("commit_lsn", m.commitLsn());
      lsn("end_lsn", m.endLsn()).time("commit_time", m.commitTime());
    } else if (message instanceof StreamAbort m) {
      xid("xid", m.xid()).xid("subxid", m.subxid());
      if (m.abortLsn() != 0) {
        lsn("abort_lsn", m.abortLsn()).time("abort_time", m.abortTime());
      }
    } else if (message instanceof BeginPrepare m) {
      prepare(m.prepareLsn(), m.endLsn(), m.prepareTime(), m.xid(), m.gid());
    } else if (message instanceof Prepare m) {
      put("flags", 0);
      prepare(m.prepareLsn(), m.endLsn(), m.prepareTime(), m.xid(), m.gid());
    } else if (message instanceof StreamPrepare m) {
      put("flags", 0);
      prepare(m.prepareLsn(), m.endLsn(), m.prepareTime(), m.xid(), m.gid());
    } else if (message instanceof CommitPrepared m) {
      put("flags", 0).lsn("commit_lsn", m.commitLsn()).lsn("end_lsn", m.endLsn());
      time("commit_time", m.commitTime()).xid("xid", m.xid()).put("gid", m.gid());
    } else if (message instanceof RollbackPrepared m) {
      put("flags", 0).lsn("prepare_end_lsn", m.prepareEndLsn());
      lsn("rollback_end_lsn", m.rollbackEndLsn()).time("prepare_time", m.prepareTime());
      time("rollback_time", m.rollbackTime()).xid("xid", m.xid()).put("gid", m.gid());
    }
  }

  private void prepare(long prepareLsn, long endLsn, long time, int xid, String gid) {
    lsn("prepare_lsn", prepareLsn).lsn("end_lsn", endLsn).time("prepare_time", time);
    xid("xid", xid).put("gid", gid);
  }
}
