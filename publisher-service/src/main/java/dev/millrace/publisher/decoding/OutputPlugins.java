package dev.millrace.publisher.decoding;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** The output plugins on the class path, by name. */
final class OutputPlugins {

  private final Map<String, OutputPlugin.Factory> byName = new TreeMap<>();

  OutputPlugins() {
    for (OutputPlugin.Factory factory : ServiceLoader.load(OutputPlugin.Factory.class)) {
      byName.putIfAbsent(factory.name(), factory);
    }
  }

  /**
   * @throws PgException 58P01 as PostgreSQL reports a library it cannot load
   */
  OutputPlugin.Factory find(String name) {
    OutputPlugin.Factory factory = name == null ? null : byName.get(name);
    if (factory == null) {
      throw new PgException(
          SqlState.UNDEFINED_FILE,
          "could not access file \"" + name + "\": No such file or directory");
    }
    return factory;
  }
}
