package dev.millrace.settings;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;

/**
 * {@code millrace.auto.conf}: the settings changed while the node ran, one {@code name = 'value'} a
 * line, quotes doubled. Written aside, forced and renamed, so that a crash leaves the old or the
 * new file.
 */
final class AutoConfFile {

  static final String NAME = "millrace.auto.conf";

  private static final String HEADER =
      "# Written by the service when a setting is changed; do not edit while it runs.\n";

  private final Path directory;

  AutoConfFile(Path dataDirectory) {
    directory = dataDirectory;
  }

  /** The values as they were written; empty when there is no file. */
  Map<String, String> read() {
    Path file = directory.resolve(NAME);
    Map<String, String> values = new TreeMap<>();
    if (!Files.exists(file)) {
      return values;
    }
    try {
      for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
        if (!line.isBlank() && !line.startsWith("#")) {
          putLine(values, line, file);
        }
      }
    } catch (IOException error) {
      throw new UncheckedIOException("could not read file \"" + file + "\"", error);
    }
    return values;
  }

  private static void putLine(Map<String, String> values, String line, Path file)
      throws IOException {
    int equals = line.indexOf(" = '");
    if (equals < 1 || !line.endsWith("'") || line.length() < equals + 5) {
      throw new IOException("syntax error in file \"" + file + "\" near \"" + line + "\"");
    }
    String quoted = line.substring(equals + 4, line.length() - 1);
    values.put(line.substring(0, equals), unescape(quoted));
  }

  void write(Map<String, String> values) {
    StringBuilder text = new StringBuilder(HEADER);
    values.forEach(
        (name, value) -> text.append(name).append(" = '").append(escape(value)).append("'\n"));
    Path aside = directory.resolve(NAME + ".tmp");
    try {
      Files.createDirectories(directory);
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(text.toString());
      try (FileChannel channel =
          FileChannel.open(
              aside,
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE,
              StandardOpenOption.TRUNCATE_EXISTING)) {
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
        channel.force(true);
      }
      Files.move(aside, directory.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
      try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
        channel.force(true);
      }
    } catch (IOException error) {
      throw new UncheckedIOException("could not write file \"" + aside + "\"", error);
    }
  }

  /** A value stays on its line. */
  private static String escape(String value) {
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("'", "''");
  }

  private static String unescape(String quoted) {
    StringBuilder value = new StringBuilder(quoted.length());
    for (int i = 0; i < quoted.length(); i++) {
      char c = quoted.charAt(i);
      boolean pair = i + 1 < quoted.length() && (c == '\\' || c == '\'');
      if (pair) {
        char next = quoted.charAt(++i);
        value.append(c == '\\' && next == 'n' ? '\n' : c == '\\' && next == 'r' ? '\r' : next);
      } else {
        value.append(c);
      }
    }
    return value.toString();
  }
}
