package dev.millrace.subscriber.session;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.settings.Settings;
import dev.millrace.sql.SimpleQuerySession;
import dev.millrace.sql.SqlOptions;
import dev.millrace.sql.SqlSession;
import dev.millrace.sql.SqlSessionFactory;
import dev.millrace.sql.SystemFunction;
import dev.millrace.sql.SystemObjects;
import dev.millrace.subscriber.catalog.NodeIdentity;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Opens the sessions on the target database, as many as max_connections allows. Any thread. */
final class TargetSessions implements SqlSessionFactory {

  private final SessionServices services;
  private final NodeIdentity node;
  private final Settings settings;
  private final Map<String, SystemFunction> functions = new ConcurrentHashMap<>();
  private final AtomicInteger open = new AtomicInteger();

  TargetSessions(SessionServices services, NodeIdentity node, Settings settings) {
    this.services = services;
    this.node = node;
    this.settings = settings;
  }

  /** Tells the parser the functions that the database has got. */
  void installed(List<SystemObjects> objects) {
    objects.forEach(each -> each.functions().forEach(f -> functions.put(f.name(), f)));
  }

  @Override
  public SqlSession open() {
    if (open.incrementAndGet() > settings.getInt("max_connections")) {
      open.decrementAndGet();
      throw new PgException(SqlState.TOO_MANY_CONNECTIONS, "sorry, too many clients already");
    }
    try {
      return newSession();
    } catch (RuntimeException | Error e) {
      open.decrementAndGet();
      throw e;
    }
  }

  private SqlSession newSession() {
    Settings own = settings.forSession();
    TargetBackend backend = new TargetBackend(services, own);
    SqlOptions options =
        SqlOptions.PLAIN
            .withFunctions(functions::get)
            .withRelations(services.definitions()::relation)
            .withTypes(services.definitions()::type);
    return new TargetSession(
        new SimpleQuerySession(node.nextPid(), backend, options, own), own, open::decrementAndGet);
  }
}
