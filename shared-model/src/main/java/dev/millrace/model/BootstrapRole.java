package dev.millrace.model;

/**
 * The one role of a node until users exist: a superuser, PostgreSQL's bootstrap role by its OID,
 * owner of everything.
 */
public final class BootstrapRole {

  /** pg_authid.oid of the bootstrap superuser. */
  public static final int OID = 10;

  public static final String NAME = "millrace";

  private BootstrapRole() {}

  /**
   * The OID of a role as OWNER TO names it.
   *
   * @throws PgException 42704 for a role that does not exist
   */
  public static int resolve(String role) {
    switch (role) {
      case NAME, "current_user", "current_role", "session_user":
        return OID;
      default:
        throw new PgException(SqlState.UNDEFINED_OBJECT, "role \"" + role + "\" does not exist");
    }
  }
}
