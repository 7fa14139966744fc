package dev.millrace.api;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.settings.Settings;
import dev.millrace.sql.SqlSessionFactory;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The sessions of clients, by their ids. An id cannot be guessed, since who knows it may use the
 * session. A session that nobody calls for idle_session_timeout is rolled back and ends.
 */
final class SqlSessions implements AutoCloseable {

  private static final long LOOK_EVERY_MS = 500;
  private static final int ID_BYTES = 16;

  private final SqlSessionFactory factory;
  private final Settings settings;
  private final Clock clock;
  private final SecureRandom random = new SecureRandom();
  private final Map<String, ClientSession> sessions = new ConcurrentHashMap<>();
  private final ScheduledExecutorService idleWatch =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "idle-sessions");
            thread.setDaemon(true);
            return thread;
          });

  SqlSessions(SqlSessionFactory factory, Settings settings, Clock clock) {
    this.factory = factory;
    this.settings = settings;
    this.clock = clock;
    idleWatch.scheduleWithFixedDelay(
        this::closeIdle, LOOK_EVERY_MS, LOOK_EVERY_MS, TimeUnit.MILLISECONDS);
  }

  ClientSession open() {
    byte[] bytes = new byte[ID_BYTES];
    random.nextBytes(bytes);
    String id = HexFormat.of().formatHex(bytes);
    ClientSession session = new ClientSession(id, factory.open(), clock.millis());
    sessions.put(id, session);
    return session;
  }

  ClientSession find(String id) {
    ClientSession session = sessions.get(id);
    if (session == null) {
      throw unknown(id);
    }
    return session;
  }

  void end(String id) {
    ClientSession session = sessions.remove(id);
    if (session == null) {
      throw unknown(id);
    }
    session.close();
  }

  int count() {
    return sessions.size();
  }

  private void closeIdle() {
    sessions.values().removeIf(session -> session.closeIfIdle(clock.millis(), settings));
  }

  static PgException unknown(String id) {
    return new PgException(
        SqlState.UNDEFINED_OBJECT, "session \"" + id + "\" does not exist or has ended");
  }

  @Override
  public void close() {
    idleWatch.shutdownNow();
    sessions.values().forEach(ClientSession::close);
    sessions.clear();
  }
}
