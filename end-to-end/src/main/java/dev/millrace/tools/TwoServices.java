package dev.millrace.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A publisher and a subscriber over the built jars, each with a heap limit and a data directory of
 * its own.
 */
public final class TwoServices implements AutoCloseable {

  private final ServiceProcess publisher;
  private final ServiceProcess subscriber;
  private final int publisherPort;

  /**
   * @param directory holds data and logs; emptied first
   * @param preferredPort the publisher's port if it is free, the subscriber takes the next
   */
  public TwoServices(Path directory, int preferredPort, int heapMb, List<String> publisherOptions)
      throws IOException, InterruptedException {
    delete(directory);
    Files.createDirectories(directory);
    publisherPort = ServiceProcess.freePort(preferredPort);
    int subscriberPort = ServiceProcess.freePort(preferredPort + 1);
    publisher = process("publisher", directory, publisherPort, heapMb, publisherOptions);
    subscriber = process("subscriber", directory, subscriberPort, heapMb, List.of());
    try {
      publisher.launch();
      subscriber.launch();
      publisher.awaitReady();
      subscriber.awaitReady();
    } catch (RuntimeException | IOException | InterruptedException e) {
      close();
      throw e;
    }
  }

  private static ServiceProcess process(
      String role, Path directory, int port, int heapMb, List<String> more) throws IOException {
    List<String> options = new ArrayList<>();
    options.add("--millrace.data-dir=" + directory.resolve(role));
    options.addAll(more);
    return new ServiceProcess(
        role,
        port,
        directory.resolve(role + ".log"),
        List.of("-Xmx" + heapMb + "m"),
        List.of("-jar", BuiltJars.of(role + "-service").toString()),
        options);
  }

  public MillraceApi publisher() {
    return publisher.api();
  }

  public MillraceApi subscriber() {
    return subscriber.api();
  }

  /** CPU time the publisher has used since its start. */
  public Duration publisherCpu() {
    return publisher.cpu();
  }

  /** CPU time the subscriber has used since its start. */
  public Duration subscriberCpu() {
    return subscriber.cpu();
  }

  public int publisherPort() {
    return publisherPort;
  }

  /** The connection string a subscription to this publisher uses. */
  public String connection() {
    return "host=127.0.0.1 port=" + publisherPort + " dbname=testdb";
  }

  public boolean isAlive() {
    return publisher.isAlive() && subscriber.isAlive();
  }

  @Override
  public void close() {
    subscriber.close();
    publisher.close();
  }

  /** Removes a directory tree. */
  public static void delete(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
