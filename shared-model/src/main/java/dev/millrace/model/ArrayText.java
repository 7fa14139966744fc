package dev.millrace.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/**
 * Array constants of any dimension in PostgreSQL's text form: {@code {1,NULL,"a b"}}, {@code
 * {{1,2},{3,4}}}, {@code [0:1]={7,8}}.
 *
 * @param lowerBounds the first subscript of each dimension; empty for an empty array
 * @param lengths how many elements each dimension has
 * @param elements in storage order, null for NULL
 */
public record ArrayText(List<Integer> lowerBounds, List<Integer> lengths, List<String> elements) {

  private static final int MAX_DIMENSIONS = 6;

  /** The array with each element as its type prints it. */
  public static String canonical(String text, UnaryOperator<String> element) {
    ArrayText array = parse(text);
    array.elements().replaceAll(value -> value == null ? null : element.apply(value));
    return array.format();
  }

  /**
   * Takes a constant apart.
   *
   * @throws PgException 22P02 malformed, 2202E dimensions that do not fit, 54000 too many of them
   */
  public static ArrayText parse(String text) {
    return new Reader(text).read();
  }

  /** The canonical text form. */
  public String format() {
    if (elements.isEmpty()) {
      return "{}";
    }
    StringBuilder out = new StringBuilder();
    if (lowerBounds.stream().anyMatch(bound -> bound != 1)) {
      for (int i = 0; i < lengths.size(); i++) {
        int lower = lowerBounds.get(i);
        out.append('[').append(lower).append(':').append(lower + lengths.get(i) - 1).append(']');
      }
      out.append('=');
    }
    format(out, 0, 0);
    return out.toString();
  }

  /** Writes the part of one dimension that begins at an element; returns the element behind it. */
  private int format(StringBuilder out, int dimension, int first) {
    int element = first;
    out.append('{');
    for (int i = 0; i < lengths.get(dimension); i++) {
      if (i > 0) {
        out.append(',');
      }
      if (dimension + 1 < lengths.size()) {
        element = format(out, dimension + 1, element);
      } else {
        element(out, elements.get(element++));
      }
    }
    out.append('}');
    return element;
  }

  private static void element(StringBuilder out, String value) {
    if (value == null) {
      out.append("NULL");
    } else if (needsQuotes(value)) {
      out.append('"').append(value.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
    } else {
      out.append(value);
    }
  }

  private static boolean needsQuotes(String value) {
    if (value.isEmpty() || value.toLowerCase(Locale.ROOT).equals("null")) {
      return true;
    }
    for (int i = 0; i < value.length(); i++) {
      if ("{},\"\\".indexOf(value.charAt(i)) >= 0 || isSpace(value.charAt(i))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isSpace(char c) {
    return c == ' ' || c >= '\t' && c <= '\r';
  }

  /** One pass over a constant. */
  private static final class Reader {
    private final String text;
    private final List<String> elements = new ArrayList<>();
    private final List<Integer> lowerBounds = new ArrayList<>();
    private final List<Integer> givenLengths = new ArrayList<>();
    private final List<Integer> lengths = new ArrayList<>();
    private int leafDepth = -1;
    private int at;

    Reader(String text) {
      this.text = text;
    }

    ArrayText read() {
      skipSpace();
      while (peek() == '[') {
        dimension();
        skipSpace();
      }
      if (!givenLengths.isEmpty()) {
        expect('=');
        skipSpace();
      }
      part(0);
      skipSpace();
      if (at < text.length()) {
        throw malformed("Junk after closing right brace.");
      }
      return complete();
    }

    private ArrayText complete() {
      boolean empty = elements.isEmpty();
      if (!givenLengths.isEmpty() && !givenLengths.equals(lengths)) {
        throw malformed("Specified array dimensions do not match array contents.");
      }
      if (lowerBounds.isEmpty()) {
        lengths.forEach(length -> lowerBounds.add(1));
      }
      return new ArrayText(empty ? List.of() : lowerBounds, empty ? List.of() : lengths, elements);
    }

    /** {@code [lower:upper]} or {@code [length]}. */
    private void dimension() {
      at++;
      int lower = 1;
      int upper = integer();
      if (peek() == ':') {
        at++;
        lower = upper;
        upper = integer();
      }
      expect(']');
      if (upper < lower) {
        throw new PgException(
            SqlState.ARRAY_SUBSCRIPT_ERROR, "upper bound cannot be less than lower bound");
      }
      lowerBounds.add(lower);
      givenLengths.add(upper - lower + 1);
    }

    private int integer() {
      skipSpace();
      int start = at;
      if (peek() == '-' || peek() == '+') {
        at++;
      }
      while (peek() >= '0' && peek() <= '9') {
        at++;
      }
      try {
        int value = Integer.parseInt(text, start, at, 10);
        skipSpace();
        return value;
      } catch (NumberFormatException e) {
        throw malformed("\"[\" must introduce explicitly-specified array dimensions.");
      }
    }

    /** The braces of one level. */
    private void part(int depth) {
      if (depth == MAX_DIMENSIONS) {
        throw new PgException(
            SqlState.PROGRAM_LIMIT_EXCEEDED,
            "number of array dimensions exceeds the maximum allowed (" + MAX_DIMENSIONS + ")");
      }
      expect('{');
      int count = 0;
      skipSpace();
      if (peek() != '}') {
        do {
          skipSpace();
          if (peek() == '{') {
            if (leafDepth >= 0 && leafDepth <= depth) {
              throw malformed(SUB_ARRAYS);
            }
            part(depth + 1);
          } else {
            leaf(depth);
          }
          count++;
          skipSpace();
        } while (accept(','));
      }
      expect('}');
      counted(depth, count);
    }

    private static final String SUB_ARRAYS =
        "Multidimensional arrays must have sub-arrays with matching dimensions.";

    private void leaf(int depth) {
      if (leafDepth >= 0 && leafDepth != depth) {
        throw malformed(SUB_ARRAYS);
      }
      leafDepth = depth;
      elements.add(value());
    }

    private void counted(int depth, int count) {
      while (lengths.size() <= depth) {
        lengths.add(-1);
      }
      if (lengths.get(depth) >= 0 && lengths.get(depth) != count) {
        throw malformed(SUB_ARRAYS);
      }
      lengths.set(depth, count);
    }

    private String value() {
      StringBuilder value = new StringBuilder();
      if (accept('"')) {
        while (!accept('"')) {
          character(value);
        }
        return value.toString();
      }
      int kept = 0;
      boolean escaped = false;
      while (peek() != ',' && peek() != '}') {
        char c = peek();
        if (c == '{' || c == '"') {
          throw malformed("Unexpected \"" + c + "\" character.");
        }
        escaped |= c == '\\';
        character(value);
        kept = c == '\\' || !isSpace(c) ? value.length() : kept;
      }
      value.setLength(kept);
      if (kept == 0) {
        throw malformed("Unexpected \"" + peek() + "\" character.");
      }
      boolean isNull = !escaped && value.toString().equalsIgnoreCase("null");
      return isNull ? null : value.toString();
    }

    private void character(StringBuilder value) {
      accept('\\');
      value.append(peek());
      at++;
    }

    private char peek() {
      if (at >= text.length()) {
        throw malformed("Unexpected end of input.");
      }
      return text.charAt(at);
    }

    private boolean accept(char c) {
      if (peek() != c) {
        return false;
      }
      at++;
      return true;
    }

    private void expect(char c) {
      if (at >= text.length() || text.charAt(at) != c) {
        throw malformed(
            c == '{'
                ? "Array value must start with \"{\" or dimension information."
                : "Unexpected array element.");
      }
      at++;
    }

    private void skipSpace() {
      while (at < text.length() && isSpace(text.charAt(at))) {
        at++;
      }
    }

    private PgException malformed(String detail) {
      return new PgException(
              SqlState.INVALID_TEXT_REPRESENTATION, "malformed array literal: \"" + text + "\"")
          .withDetail(detail);
    }
  }
}
