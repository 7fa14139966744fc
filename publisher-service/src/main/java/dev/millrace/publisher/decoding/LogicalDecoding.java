package dev.millrace.publisher.decoding;

import dev.millrace.publisher.slots.ReplicationSlot;
import dev.millrace.settings.Settings;
import java.util.Map;

/** Opens decoding sessions on slots. */
public interface LogicalDecoding {

  /**
   * Starts decoding for an acquired slot. Everything is checked before the first byte: plugin
   * options, start LSN.
   *
   * @param startLsn 0 or the position asked for; moved up to confirmed_flush_lsn when below it
   * @param settings per-session values such as logical_decoding_work_mem in bytes
   * @throws dev.millrace.model.PgException 55000 when startLsn lies beyond the flushed end; plugin
   *     errors
   */
  DecodingSession start(
      ReplicationSlot slot,
      long startLsn,
      Map<String, String> options,
      OutputWriter writer,
      DecodingSettings settings);

  /**
   * Checks that there is an output plugin of that name, before a slot is made for it.
   *
   * @throws dev.millrace.model.PgException 58P01 {@code could not access file "name": No such file
   *     or directory}
   */
  void requirePlugin(String name);

  /**
   * Reads the log from the slot's restart_lsn without decoding or sending anything, noting restart
   * candidates only: how a slot is advanced.
   */
  DecodingSession startFastForward(ReplicationSlot slot);

  /**
   * @param logicalDecodingWorkMem bytes
   * @param immediately give every change up at once, streamed or spilled
   *     (debug_logical_replication_streaming)
   */
  record DecodingSettings(long logicalDecodingWorkMem, boolean immediately, boolean binaryAllowed) {

    /** The settings of that name in force in a session. */
    public static DecodingSettings of(Settings settings, boolean binaryAllowed) {
      return new DecodingSettings(
          settings.getBytes("logical_decoding_work_mem"),
          settings.get("debug_logical_replication_streaming").equals("immediate"),
          binaryAllowed);
    }
  }

  /** One run of decoding, pulled by one thread. */
  interface DecodingSession extends AutoCloseable {

    /**
     * Decodes the next log record; at a commit this replays the whole transaction into the writer.
     *
     * @return false when the flushed end of the log is reached
     */
    boolean step();

    /** The end of the last record completely dealt with: what a keepalive may carry. */
    long processedLsn();

    /** Whether the plugin writes text or binary messages. */
    OutputPlugin.OutputKind outputKind();

    /** What the ReorderBuffer holds now, for REST; safe from any thread. */
    ReorderBufferView view();

    /** Removes spill files and frees buffers; the slot stays acquired. */
    @Override
    void close();
  }
}
