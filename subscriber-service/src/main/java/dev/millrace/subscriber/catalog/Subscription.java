package dev.millrace.subscriber.catalog;

import java.util.List;

/**
 * A subscription as the workers see it (pg_subscription). Immutable; a change makes a new one and
 * restarts its worker.
 *
 * @param slotName null for NONE
 * @param origin {@code any} or {@code none}
 * @param streaming {@code f}, {@code t}, {@code p} (substream)
 * @param twoPhaseState {@code d}, {@code p}, {@code e}
 */
public record Subscription(
    int oid,
    String name,
    int owner,
    boolean enabled,
    String connection,
    String slotName,
    List<String> publications,
    boolean binary,
    char streaming,
    char twoPhaseState,
    boolean disableOnError,
    boolean passwordRequired,
    boolean runAsOwner,
    boolean failover,
    String synchronousCommit,
    String origin,
    long skipLsn) {

  public Subscription {
    publications = List.copyOf(publications);
  }

  /** The replication origin of its apply worker: {@code pg_<oid>}. */
  public String originName() {
    return "pg_" + Integer.toUnsignedString(oid);
  }

  /** The origin of the table's synchronization worker: {@code pg_<oid>_<relid>}. */
  public String syncOriginName(int relationOid) {
    return originName() + "_" + Integer.toUnsignedString(relationOid);
  }

  /** The slot of the table's synchronization worker: {@code pg_<oid>_sync_<relid>_<sysid>}. */
  public String syncSlotName(int relationOid, String systemIdentifier) {
    return originName() + "_sync_" + Integer.toUnsignedString(relationOid) + "_" + systemIdentifier;
  }

  public Subscription withName(String newName) {
    return new Subscription(
        oid,
        newName,
        owner,
        enabled,
        connection,
        slotName,
        publications,
        binary,
        streaming,
        twoPhaseState,
        disableOnError,
        passwordRequired,
        runAsOwner,
        failover,
        synchronousCommit,
        origin,
        skipLsn);
  }

  public Subscription withOwner(int newOwner) {
    return new Subscription(
        oid,
        name,
        newOwner,
        enabled,
        connection,
        slotName,
        publications,
        binary,
        streaming,
        twoPhaseState,
        disableOnError,
        passwordRequired,
        runAsOwner,
        failover,
        synchronousCommit,
        origin,
        skipLsn);
  }

  public Subscription withEnabled(boolean newEnabled) {
    return new Subscription(
        oid,
        name,
        owner,
        newEnabled,
        connection,
        slotName,
        publications,
        binary,
        streaming,
        twoPhaseState,
        disableOnError,
        passwordRequired,
        runAsOwner,
        failover,
        synchronousCommit,
        origin,
        skipLsn);
  }

  public Subscription withConnection(String newConnection) {
    return new Subscription(
        oid,
        name,
        owner,
        enabled,
        newConnection,
        slotName,
        publications,
        binary,
        streaming,
        twoPhaseState,
        disableOnError,
        passwordRequired,
        runAsOwner,
        failover,
        synchronousCommit,
        origin,
        skipLsn);
  }

  public Subscription withSlotName(String newSlotName) {
    return new Subscription(
        oid,
        name,
        owner,
        enabled,
        connection,
        newSlotName,
        publications,
        binary,
        streaming,
        twoPhaseState,
        disableOnError,
        passwordRequired,
        runAsOwner,
        failover,
        synchronousCommit,
        origin,
        skipLsn);
  }

  public Subscription withPublications(List<String> newPublications) {
    return new Subscription(
        oid,
        name,
        owner,
        enabled,
        connection,
        slotName,
        newPublications,
        binary,
        streaming,
        twoPhaseState,
        disableOnError,
        passwordRequired,
        runAsOwner,
        failover,
        synchronousCommit,
        origin,
        skipLsn);
  }

  public Subscription withDisableOnError(boolean newDisableOnError) {
    return new Subscription(
        oid,
        name,
        owner,
        enabled,
        connection,
        slotName,
        publications,
        binary,
        streaming,
        twoPhaseState,
        newDisableOnError,
        passwordRequired,
        runAsOwner,
        failover,
        synchronousCommit,
        origin,
        skipLsn);
  }

  public Subscription withPasswordRequired(boolean newPasswordRequired) {
    return new Subscription(
        oid,
        name,
        owner,
        enabled,
        connection,
        slotName,
        publications,
        binary,
        streaming,
        twoPhaseState,
        disableOnError,
        newPasswordRequired,
        runAsOwner,
        failover,
        synchronousCommit,
        origin,
        skipLsn);
  }

  public Subscription withRunAsOwner(boolean newRunAsOwner) {
    return new Subscription(
        oid,
        name,
        owner,
        enabled,
        connection,
        slotName,
        publications,
        binary,
        streaming,
        twoPhaseState,
        disableOnError,
        passwordRequired,
        newRunAsOwner,
        failover,
        synchronousCommit,
        origin,
        skipLsn);
  }

  public Subscription withSynchronousCommit(String newSynchronousCommit) {
    return new Subscription(
        oid,
        name,
        owner,
        enabled,
        connection,
        slotName,
        publications,
        binary,
        streaming,
        twoPhaseState,
        disableOnError,
        passwordRequired,
        runAsOwner,
        failover,
        newSynchronousCommit,
        origin,
        skipLsn);
  }

  public Subscription withSkipLsn(long newSkipLsn) {
    return new Subscription(
        oid,
        name,
        owner,
        enabled,
        connection,
        slotName,
        publications,
        binary,
        streaming,
        twoPhaseState,
        disableOnError,
        passwordRequired,
        runAsOwner,
        failover,
        synchronousCommit,
        origin,
        newSkipLsn);
  }

  /** Without the connection, which may hold a password. */
  @Override
  public String toString() {
    return "subscription \"" + name + "\" (" + Integer.toUnsignedString(oid) + ")";
  }
}
