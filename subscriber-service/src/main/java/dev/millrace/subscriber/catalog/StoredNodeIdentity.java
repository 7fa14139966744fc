package dev.millrace.subscriber.catalog;

import jakarta.persistence.EntityManager;
import java.security.SecureRandom;

/**
 * Numbers come from memory and are taken from the catalogue in blocks: the bound is durable before
 * the first number of its block is given out, so a crash skips numbers but never repeats one.
 */
final class StoredNodeIdentity implements NodeIdentity {

  static final int FIRST_OID = 16384;
  private static final int OID_BLOCK = 64;
  private static final int PID_BLOCK = 1000;

  private final EntityManager entities;
  private final DurableCommit commits;
  private final long systemIdentifier;
  private final int databaseOid;
  private int nextOid;
  private int oidBound;
  private long nextPid;
  private long pidBound;

  StoredNodeIdentity(EntityManager entities, DurableCommit commits) {
    this.entities = entities;
    this.commits = commits;
    NodeRow row = commits.commit(this::findOrMake);
    systemIdentifier = row.systemIdentifier;
    databaseOid = row.databaseOid;
    nextOid = oidBound = row.nextOid;
    nextPid = pidBound = row.nextPid;
  }

  private NodeRow findOrMake() {
    NodeRow row = entities.find(NodeRow.class, NodeRow.ONLY);
    if (row == null) {
      long identifier = new SecureRandom().nextLong() & Long.MAX_VALUE;
      row = new NodeRow(Math.max(identifier, 1), FIRST_OID, FIRST_OID + 1, 1);
      entities.persist(row);
    }
    return row;
  }

  @Override
  public String systemIdentifier() {
    return Long.toString(systemIdentifier);
  }

  @Override
  public int databaseOid() {
    return databaseOid;
  }

  @Override
  public synchronized int nextOid() {
    if (nextOid == oidBound) {
      int bound = oidBound + OID_BLOCK;
      commits.commitDurably(() -> entities.find(NodeRow.class, NodeRow.ONLY).nextOid = bound);
      oidBound = bound;
    }
    return nextOid++;
  }

  @Override
  public synchronized long nextPid() {
    if (nextPid == pidBound) {
      long bound = pidBound + PID_BLOCK;
      commits.commitDurably(() -> entities.find(NodeRow.class, NodeRow.ONLY).nextPid = bound);
      pidBound = bound;
    }
    return nextPid++;
  }
}
