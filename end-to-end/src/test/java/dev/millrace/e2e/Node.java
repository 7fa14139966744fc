package dev.millrace.e2e;

import dev.millrace.publisher.PublisherApplication;
import dev.millrace.subscriber.SubscriberApplication;
import dev.millrace.tools.MillraceApi;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** One service inside the test's JVM, on a random port that it keeps over restarts. */
final class Node implements AutoCloseable {

  private final boolean publisher;
  private final Path dataDirectory;
  private final List<String> options;
  private ConfigurableApplicationContext context;
  private int port;
  private MillraceApi api;

  private Node(boolean publisher, Path dataDirectory, String... options) {
    this.publisher = publisher;
    this.dataDirectory = dataDirectory;
    this.options = List.of(options);
    start();
  }

  static Node publisher(Path dataDirectory, String... options) {
    return new Node(true, dataDirectory, options);
  }

  static Node subscriber(Path dataDirectory, String... options) {
    return new Node(false, dataDirectory, options);
  }

  /** Starts again after {@link #stop} with the same data and port. */
  void start() {
    SpringApplicationBuilder builder =
        publisher ? PublisherApplication.builder() : SubscriberApplication.builder();
    List<String> arguments = new ArrayList<>(options);
    arguments.add("--server.port=" + port);
    arguments.add("--millrace.data-dir=" + dataDirectory);
    context = builder.run(arguments.toArray(String[]::new));
    port = Integer.parseInt(context.getEnvironment().getProperty("local.server.port"));
    api = new MillraceApi("127.0.0.1", port);
  }

  /** A clean stop. */
  void stop() {
    context.close();
  }

  MillraceApi api() {
    return api;
  }

  int port() {
    return port;
  }

  Path dataDirectory() {
    return dataDirectory;
  }

  @Override
  public void close() {
    context.close();
  }
}
