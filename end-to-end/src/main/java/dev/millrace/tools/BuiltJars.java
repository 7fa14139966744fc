package dev.millrace.tools;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finds the executable jars of the build this tool belongs to. */
public final class BuiltJars {

  private BuiltJars() {}

  /** The project's top folder, given by the scripts in bin/. */
  public static Path home() {
    String home = System.getProperty("millrace.home");
    if (home == null) {
      throw new IllegalStateException("start me through bin/demo or bin/bench");
    }
    return Path.of(home);
  }

  /** The jar of {@code publisher-service} or {@code subscriber-service}. */
  public static Path of(String module) throws IOException {
    Path target = home().resolve(module).resolve("target");
    try (DirectoryStream<Path> jars = Files.newDirectoryStream(target, module + "-*.jar")) {
      for (Path jar : jars) {
        return jar;
      }
    }
    throw new IllegalStateException("no jar in " + target + "; build with mvn -DskipTests package");
  }
}
