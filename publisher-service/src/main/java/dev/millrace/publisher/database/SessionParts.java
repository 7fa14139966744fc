package dev.millrace.publisher.database;

import dev.millrace.sql.StatementRunner;

/** What the statements of one session share. */
record SessionParts(
    HeapSession heap,
    StatementRunner runner,
    RowCapture capture,
    TransactionTables tables,
    RelationLocks locks,
    TransactionLog log) {}
