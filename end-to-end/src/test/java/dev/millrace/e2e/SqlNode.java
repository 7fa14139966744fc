package dev.millrace.e2e;

import dev.millrace.tools.MillraceApi;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Where a load runs its SQL: a publisher over HTTP or a PostgreSQL server over JDBC. */
interface SqlNode {

  /** A conversation in which a transaction can stay open. */
  interface Session extends AutoCloseable {
    void sql(String sql);

    @Override
    void close();
  }

  /** PostgreSQL refused a statement or was not there. */
  final class Failed extends RuntimeException {
    Failed(SQLException cause) {
      super(cause);
    }
  }

  Session open();

  List<List<String>> rows(String query);

  /** One or more statements in a session of their own. */
  default void sql(String sql) {
    try (Session session = open()) {
      session.sql(sql);
    }
  }

  static SqlNode of(MillraceApi api) {
    return new SqlNode() {
      @Override
      public Session open() {
        MillraceApi.Session session = api.openSession();
        return new Session() {
          @Override
          public void sql(String sql) {
            session.sql(sql);
          }

          @Override
          public void close() {
            session.close();
          }
        };
      }

      @Override
      public List<List<String>> rows(String query) {
        return api.rows(query);
      }
    };
  }

  static SqlNode ofPostgres(String jdbcUrl) {
    return new SqlNode() {
      @Override
      public Session open() {
        try {
          Connection connection = DriverManager.getConnection(jdbcUrl);
          return new Session() {
            @Override
            public void sql(String sql) {
              try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
              } catch (SQLException e) {
                throw new Failed(e);
              }
            }

            @Override
            public void close() {
              try {
                connection.close();
              } catch (SQLException e) {
                throw new Failed(e);
              }
            }
          };
        } catch (SQLException e) {
          throw new Failed(e);
        }
      }

      @Override
      public List<List<String>> rows(String query) {
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
            Statement statement = connection.createStatement();
            ResultSet result = statement.executeQuery(query)) {
          List<List<String>> rows = new ArrayList<>();
          while (result.next()) {
            List<String> row = new ArrayList<>();
            for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
              row.add(result.getString(i));
            }
            rows.add(row);
          }
          return rows;
        } catch (SQLException e) {
          throw new Failed(e);
        }
      }
    };
  }
}
