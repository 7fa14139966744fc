package dev.millrace.publisher;

import dev.millrace.publisher.database.PublisherNode;
import dev.millrace.publisher.slots.ReplicationSlots;
import dev.millrace.sql.SqlSession;
import dev.millrace.sql.StatementResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.awaitility.Awaitility;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.context.WebApplicationContext;

/** The publisher application on a data directory and a port of its own. */
public final class PublisherUnderTest implements AutoCloseable {

  private final ConfigurableApplicationContext context;

  private PublisherUnderTest(ConfigurableApplicationContext context) {
    this.context = context;
  }

  /**
   * @param settings {@code name=value} pairs of the settings table
   */
  public static PublisherUnderTest start(Path dataDirectory, String... settings) {
    return startWith(
        dataDirectory,
        Arrays.stream(settings)
            .map(setting -> "--millrace.settings." + setting)
            .toArray(String[]::new));
  }

  /**
   * @param given command line arguments
   */
  public static PublisherUnderTest startWith(Path dataDirectory, String... given) {
    List<String> arguments = new ArrayList<>();
    arguments.add("--server.port=0");
    arguments.add("--millrace.data-dir=" + dataDirectory);
    arguments.addAll(List.of(given));
    return new PublisherUnderTest(
        PublisherApplication.builder().run(arguments.toArray(String[]::new)));
  }

  public int port() {
    return Integer.parseInt(context.getEnvironment().getRequiredProperty("local.server.port"));
  }

  public WebApplicationContext webContext() {
    return (WebApplicationContext) context;
  }

  public <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  /** Runs SQL in a session of its own; the rows of the last result, null without any. */
  public List<List<Object>> sql(String sql) {
    try (SqlSession session = bean(PublisherNode.class).open()) {
      List<StatementResult> results = session.execute(sql, List.of()).results();
      return results.get(results.size() - 1).rows();
    }
  }

  /** The first value of the last result. */
  public Object value(String sql) {
    return sql(sql).get(0).get(0);
  }

  /** Waits until no walsender holds a slot. */
  public void awaitSlotsInactive() {
    ReplicationSlots slots = bean(ReplicationSlots.class);
    Awaitility.await().until(() -> slots.all().stream().allMatch(slot -> slot.activePid() == 0));
  }

  /** Drops every slot as soon as nobody holds it. */
  public void dropSlots() {
    awaitSlotsInactive();
    ReplicationSlots slots = bean(ReplicationSlots.class);
    slots.all().forEach(slot -> slots.drop(slot.name(), 1));
  }

  /** A clean stop. */
  @Override
  public void close() {
    context.close();
  }
}
