package dev.millrace.e2e;

import dev.millrace.tools.ServiceProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts a service from the test's class path as a process of its own, to be killed. */
final class ServiceLauncher {

  private ServiceLauncher() {}

  static ServiceProcess publisher(Path directory, String... options) {
    return process(
        "publisher", "dev.millrace.publisher.PublisherApplication", directory, List.of(options));
  }

  static ServiceProcess subscriber(Path directory, String... options) {
    return process(
        "subscriber", "dev.millrace.subscriber.SubscriberApplication", directory, List.of(options));
  }

  private static ServiceProcess process(
      String role, String main, Path directory, List<String> more) {
    List<String> options = new ArrayList<>(more);
    options.add("--millrace.data-dir=" + directory.resolve(role));
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return new ServiceProcess(
        role,
        ServiceProcess.freePort(0),
        directory.resolve(role + ".log"),
        List.of("-Xmx512m", "-XX:TieredStopAtLevel=1"),
        List.of("-cp", classPath, main),
        options);
  }
}
