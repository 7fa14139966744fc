package dev.millrace.publisher.walsender;

import dev.millrace.model.Lsn;
import dev.millrace.model.Notice;
import dev.millrace.model.PgException;
import dev.millrace.replication.CopyDataReader;
import dev.millrace.replication.PrimaryKeepalive;
import dev.millrace.replication.ReplicationFrame;
import dev.millrace.replication.XLogData;
import dev.millrace.sql.ResultColumn;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Writes down what a session says, one line each. */
final class RecordingClient implements ReplicationClient {

  final List<String> heard = Collections.synchronizedList(new ArrayList<>());
  final List<Integer> frameSizes = Collections.synchronizedList(new ArrayList<>());

  @Override
  public void notice(Notice notice) {
    heard.add("notice " + notice.message());
  }

  @Override
  public void result(List<ResultColumn> columns, List<List<Object>> rows) {
    heard.add("result " + columns.stream().map(ResultColumn::name).toList() + " " + rows);
  }

  @Override
  public void copyStarted(boolean both) {
    heard.add("copy " + (both ? "both" : "out"));
  }

  @Override
  public void commandComplete(String tag) {
    heard.add("command " + tag);
  }

  @Override
  public void error(PgException error) {
    heard.add("error " + error.sqlState() + " " + error.getMessage());
  }

  @Override
  public void copyData(byte[] frame, int offset, int length) {
    frameSizes.add(length);
    CopyDataReader reader = new CopyDataReader().wrap(frame, offset, length);
    while (reader.next()) {
      heard.add(reader.isCopyDone() ? "done" : describe(frame, reader));
    }
  }

  private static String describe(byte[] frame, CopyDataReader reader) {
    int offset = reader.payloadOffset();
    byte tag = frame[offset];
    if (tag != XLogData.TAG && tag != PrimaryKeepalive.TAG) {
      return "row " + new String(frame, offset, reader.payloadLength(), StandardCharsets.UTF_8);
    }
    ReplicationFrame message = ReplicationFrame.read(frame, offset, reader.payloadLength());
    if (message instanceof PrimaryKeepalive keepalive) {
      return "keepalive "
          + Lsn.format(keepalive.endLsn())
          + (keepalive.replyRequested() ? " reply" : "");
    }
    int header = XLogData.HEADER_SIZE;
    return "data "
        + Lsn.format(((XLogData) message).startLsn())
        + " "
        + new String(
            frame, offset + header, reader.payloadLength() - header, StandardCharsets.UTF_8);
  }

  @Override
  public void close(Ending ending, String reason) {
    heard.add("close " + ending);
  }

  @Override
  public void abort(Ending ending, String reason) {
    heard.add("abort " + ending);
  }
}
