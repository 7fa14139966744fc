package dev.millrace.publisher.catalog;

import dev.millrace.model.Lsn;
import dev.millrace.publisher.wal.WriteAheadLog;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/** A projection for tests without a database; it survives as long as its object does. */
public final class MemoryProjection implements CatalogProjection {

  private final List<Version> versions = new ArrayList<>();
  private long oldestLsn;
  private long appliedLsn;

  /** A catalogue over this projection, as a start makes one. */
  public VersionedCatalog open(WriteAheadLog log, IntSupplier oids) {
    return new VersionedCatalog(this, oids, log::flush);
  }

  @Override
  public synchronized Contents load() {
    return new Contents(List.copyOf(versions), oldestLsn, appliedLsn);
  }

  @Override
  public synchronized void write(List<Version> changed, long newAppliedLsn) {
    versions.addAll(changed);
    appliedLsn = Lsn.max(appliedLsn, newAppliedLsn);
  }

  @Override
  public synchronized void forgetBefore(long lsn) {
    oldestLsn = Lsn.max(oldestLsn, lsn);
    List<Version> all = List.copyOf(versions);
    versions.removeIf(
        version ->
            all.stream()
                .anyMatch(
                    later ->
                        later.change().oid() == version.change().oid()
                            && later.sinceLsn() > version.sinceLsn()
                            && later.sinceLsn() <= lsn));
    versions.removeIf(
        version -> version.change() instanceof CatalogChange.Drop && version.sinceLsn() <= lsn);
  }

  @Override
  public void sync() {}
}
