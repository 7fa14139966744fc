/** HTTP pieces that both services serve: problem documents, /sql, /sessions, /settings, /status. */
package dev.millrace.api;
