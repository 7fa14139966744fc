package dev.millrace.pgoutput;

/** A change of one row. */
public sealed interface RowChange extends PgOutputMessage permits Insert, Update, Delete {

  int streamXid();

  int relationOid();
}
