package dev.millrace.publisher.catalog;

/** A schema of the node (pg_namespace). */
public record SchemaDefinition(int oid, String name) {}
