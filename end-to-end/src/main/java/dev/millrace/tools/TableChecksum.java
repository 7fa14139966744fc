package dev.millrace.tools;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** Number of rows and SHA-256 over all rows of a table in the order of all its columns. */
public record TableChecksum(long rows, String sha256) {

  private static final int PAGE = 20_000;

  /**
   * Reads the table page by page.
   *
   * @param columns the columns compared, in this order on both sides
   */
  public static TableChecksum of(MillraceApi api, String table, List<String> columns) {
    MessageDigest digest = newDigest();
    String list = String.join(", ", columns);
    long rows = 0;
    while (true) {
      List<List<String>> page =
          api.rows(
              "SELECT %s FROM %s ORDER BY %s LIMIT %d OFFSET %d"
                  .formatted(list, table, list, PAGE, rows));
      for (List<String> row : page) {
        for (String value : row) {
          digest.update((byte) (value == null ? 0 : 1));
          if (value != null) {
            digest.update(value.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
          }
        }
      }
      rows += page.size();
      if (page.size() < PAGE) {
        return new TableChecksum(rows, HexFormat.of().formatHex(digest.digest()));
      }
    }
  }

  private static MessageDigest newDigest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
