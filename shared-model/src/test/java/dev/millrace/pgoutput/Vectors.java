package dev.millrace.pgoutput;

import java.io.IOException;
import java.io.InputStream;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The captured scenarios, by file name. */
public final class Vectors {

  private Vectors() {}

  public static TreeMap<String, JsonNode> all() throws IOException {
    JsonMapper mapper = JsonMapper.builder().build();
    TreeMap<String, JsonNode> scenarios = new TreeMap<>();
    try (InputStream file = Vectors.class.getResourceAsStream("/vectors/pgoutput.zip");
        ZipInputStream zip = new ZipInputStream(file)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        scenarios.put(entry.getName(), mapper.readTree(zip.readAllBytes()));
      }
    }
    return scenarios;
  }
}
