package dev.millrace.replication;

import dev.millrace.model.ByteBuilder;
import dev.millrace.model.ByteCursor;

/** 'h', from a standby: the oldest transactions it still needs; 0 = none. */
public record HotStandbyFeedback(
    long sendTime, int xmin, int epoch, int catalogXmin, int catalogEpoch)
    implements ReplicationFrame {

  public static final byte TAG = 'h';

  @Override
  public void write(ByteBuilder out) {
    out.putByte(TAG).putLong(sendTime).putInt(xmin).putInt(epoch);
    out.putInt(catalogXmin).putInt(catalogEpoch);
  }

  /** Reads the fields after the tag. */
  static HotStandbyFeedback read(ByteCursor in) {
    long sendTime = in.readLong("send_time");
    int xmin = in.readInt("xmin");
    int epoch = in.readInt("epoch");
    int catalogXmin = in.readInt("catalog_xmin");
    int catalogEpoch = in.readInt("catalog_epoch");
    in.expectEnd();
    return new HotStandbyFeedback(sendTime, xmin, epoch, catalogXmin, catalogEpoch);
  }
}
