package dev.millrace.api;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/**
 * Lists as all calls answer them: a bare array ordered by name, at most {@code limit} rows after
 * the name {@code after}, and a {@code Link} header with rel="next" while there are more.
 */
public final class Paging {

  /** The greatest and the default limit. */
  public static final int MAX_LIMIT = 1000;

  private Paging() {}

  /**
   * The page asked for.
   *
   * @param rows all rows, in any order
   * @param limit null for {@link #MAX_LIMIT}
   * @param after null for the first page
   * @throws BadRequestException when the limit is not within 1 and {@link #MAX_LIMIT}
   */
  public static <T> ResponseEntity<List<T>> page(
      List<T> rows, Function<T, String> name, Integer limit, String after) {
    int pageSize = limit == null ? MAX_LIMIT : limit;
    if (pageSize < 1 || pageSize > MAX_LIMIT) {
      throw new BadRequestException("limit must be between 1 and " + MAX_LIMIT);
    }
    List<T> sorted = new ArrayList<>(rows);
    sorted.sort(Comparator.comparing(name));
    List<T> page = new ArrayList<>();
    for (T row : sorted) {
      if (after == null || name.apply(row).compareTo(after) > 0) {
        if (page.size() == pageSize) {
          return ResponseEntity.ok()
              .header(HttpHeaders.LINK, next(pageSize, name.apply(page.get(pageSize - 1))))
              .body(page);
        }
        page.add(row);
      }
    }
    return ResponseEntity.ok(page);
  }

  private static String next(int pageSize, String last) {
    String uri =
        ServletUriComponentsBuilder.fromCurrentRequest()
            .replaceQueryParam("limit", pageSize)
            .replaceQueryParam("after", "{after}")
            .encode()
            .buildAndExpand(last)
            .toUriString();
    return "<" + uri + ">; rel=\"next\"";
  }
}
