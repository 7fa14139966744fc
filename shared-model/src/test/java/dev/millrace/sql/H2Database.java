package dev.millrace.sql;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/** An embedded database of its own for a test, set up as the services set theirs up. */
final class H2Database implements AutoCloseable {

  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final String url =
      "jdbc:h2:mem:test"
          + NUMBER.incrementAndGet()
          + ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH";
  private final Connection admin;

  H2Database() throws SQLException {
    admin = DriverManager.getConnection(url, "admin", "");
    SystemCatalog.installTypes(admin);
  }

  Connection admin() {
    return admin;
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url, "admin", "");
  }

  Connection connectAs(String user) throws SQLException {
    return DriverManager.getConnection(url, user, "");
  }

  void run(String... statements) throws SQLException {
    try (Statement statement = admin.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  @Override
  public void close() throws SQLException {
    admin.close();
  }
}
