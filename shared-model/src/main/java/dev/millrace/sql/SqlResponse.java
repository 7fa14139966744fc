package dev.millrace.sql;

import dev.millrace.model.Notice;
import java.util.List;

/**
 * The answer to one simple query: a result per statement, the notices raised, and where the session
 * stands after it.
 */
public record SqlResponse(
    List<StatementResult> results, List<Notice> notices, TransactionStatus status) {}
