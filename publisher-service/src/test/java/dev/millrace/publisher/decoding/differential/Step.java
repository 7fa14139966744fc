package dev.millrace.publisher.decoding.differential;

/**
 * A statement of one of several sessions.
 *
 * @param session counted from 0
 */
record Step(int session, String sql) {

  @Override
  public String toString() {
    return session + ": " + sql;
  }
}
