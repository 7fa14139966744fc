package dev.millrace.publisher.decoding;

/** Tells the OID of a database by its name; log records carry the OID. */
@FunctionalInterface
public interface DatabaseOids {

  /** 0 when there is no such database. */
  int oidOf(String database);
}
