package dev.millrace.tools;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One service as a process of its own, as an operator starts it. */
public final class ServiceProcess implements AutoCloseable {

  private static final Duration START_LIMIT = Duration.ofMinutes(2);

  private final String name;
  private final List<String> command;
  private final Path log;
  private final MillraceApi api;
  private Process process;

  /**
   * @param launch what follows the JVM's options: {@code -jar FILE} or {@code -cp PATH MAIN}
   * @param options the service's own options
   */
  public ServiceProcess(
      String name,
      int port,
      Path log,
      List<String> jvmOptions,
      List<String> launch,
      List<String> options) {
    this.name = name;
    this.log = log;
    api = new MillraceApi("127.0.0.1", port);
    command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.addAll(launch);
    command.add("--server.port=" + port);
    command.addAll(options);
  }

  public MillraceApi api() {
    return api;
  }

  public Path log() {
    return log;
  }

  /** Starts the process and waits until it is ready. */
  public void start() throws IOException, InterruptedException {
    launch();
    awaitReady();
  }

  /** Starts the process without waiting. */
  public void launch() throws IOException {
    Files.createDirectories(log.toAbsolutePath().getParent());
    File file = log.toFile();
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(file))
            .start();
  }

  public void awaitReady() throws InterruptedException {
    long deadline = System.nanoTime() + START_LIMIT.toNanos();
    while (!api.isReady()) {
      if (!process.isAlive()) {
        throw new IllegalStateException(
            name + " ended with exit code " + process.exitValue() + "; its log: " + log);
      }
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(
            name + " was not ready within " + START_LIMIT.toSeconds() + " s; its log: " + log);
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  /** SIGKILL, and waits for the end. */
  public void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
  }

  /** SIGTERM; returns the exit code, or kills after a minute. */
  public int stop() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      kill();
    }
    return process.exitValue();
  }

  /** CPU time the process has used since its start. */
  public Duration cpu() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  public boolean isAlive() {
    return process != null && process.isAlive();
  }

  @Override
  public void close() {
    if (isAlive()) {
      try {
        stop();
      } catch (InterruptedException e) {
        process.destroyForcibly();
        Thread.currentThread().interrupt();
      }
    }
  }

  /** {@code wanted} if nobody listens there, else any free port. */
  public static int freePort(int wanted) {
    for (int port : new int[] {wanted, 0}) {
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException e) {
        if (port == 0) {
          throw new java.io.UncheckedIOException("no free port", e);
        }
      }
    }
    throw new IllegalStateException("no free port");
  }
}
