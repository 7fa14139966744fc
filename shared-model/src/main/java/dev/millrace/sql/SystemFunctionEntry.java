package dev.millrace.sql;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import org.h2.value.Value;

/**
 * The static methods that stand behind H2's aliases, one for each kind of result. {@link
 * SystemFunctionLoader} loads a copy of this class for each function; the loader's name tells the
 * copy which one it stands for.
 *
 * <p>Public because H2 calls it; not for use elsewhere.
 */
public final class SystemFunctionEntry {

  private static final String FUNCTION = SystemFunctionEntry.class.getClassLoader().getName();

  private SystemFunctionEntry() {}

  public static ResultSet rows(Connection connection, Value... arguments) throws SQLException {
    return SystemFunctions.rows(connection, FUNCTION, arguments);
  }

  public static String text(Connection connection, Value... arguments) throws SQLException {
    return (String) SystemFunctions.scalar(connection, FUNCTION, arguments);
  }

  public static Boolean bool(Connection connection, Value... arguments) throws SQLException {
    return (Boolean) SystemFunctions.scalar(connection, FUNCTION, arguments);
  }

  public static Integer int4(Connection connection, Value... arguments) throws SQLException {
    return (Integer) SystemFunctions.scalar(connection, FUNCTION, arguments);
  }

  public static Long int8(Connection connection, Value... arguments) throws SQLException {
    return (Long) SystemFunctions.scalar(connection, FUNCTION, arguments);
  }

  public static Double float8(Connection connection, Value... arguments) throws SQLException {
    return (Double) SystemFunctions.scalar(connection, FUNCTION, arguments);
  }

  public static BigDecimal numeric(Connection connection, Value... arguments) throws SQLException {
    return (BigDecimal) SystemFunctions.scalar(connection, FUNCTION, arguments);
  }

  public static OffsetDateTime timestamptz(Connection connection, Value... arguments)
      throws SQLException {
    return (OffsetDateTime) SystemFunctions.scalar(connection, FUNCTION, arguments);
  }

  public static byte[] bytea(Connection connection, Value... arguments) throws SQLException {
    return (byte[]) SystemFunctions.scalar(connection, FUNCTION, arguments);
  }
}
