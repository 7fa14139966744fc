package dev.millrace.sql;

import java.util.Map;

/**
 * Storage parameters such as {@code (fillfactor=100)}: they tune PostgreSQL's heap and have nothing
 * to tune here, so the known ones are passed over and the others refused.
 */
final class StorageParameters {

  private StorageParameters() {}

  static void parse(TokenStream stream) {
    Token start = stream.peek();
    Map<String, String> parameters = OptionList.parse(stream);
    for (String name : parameters.keySet()) {
      boolean tuning =
          name.equals("fillfactor")
              || name.startsWith("autovacuum_")
              || name.startsWith("toast.autovacuum_")
              || name.equals("toast_tuple_target")
              || name.equals("parallel_workers")
              || name.equals("deduplicate_items");
      if (!tuning) {
        throw stream.unsupported("storage parameter \"" + name + "\" is", start);
      }
    }
  }
}
