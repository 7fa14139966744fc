package dev.millrace.sql;

/**
 * One lexical element of SQL text, with the place it was found at.
 *
 * <p>Where H2 reads an element as PostgreSQL does, the rewriter copies the source text; {@link
 * #copied} tells.
 */
public final class Token {

  /** What a token is. */
  public enum Kind {
    /** An unquoted word: keyword or name, folded to lower case. */
    WORD,
    /** A name in double quotes. */
    QUOTED,
    /** A string constant of any spelling: plain, E'', N'', U&amp;'', dollar-quoted. */
    STRING,
    /** B'..' or X'..'. */
    BIT_STRING,
    NUMBER,
    /** {@code $1}. */
    PARAMETER,
    /** An operator or a punctuation mark. */
    OPERATOR,
    /** The end of the text. */
    END
  }

  private final Kind kind;
  private final String source;
  private final int start;
  private final int end;
  private final boolean copied;
  private final boolean afterComment;
  private String text;

  Token(
      Kind kind, String source, int start, int end, String text, boolean copied, boolean comment) {
    this.kind = kind;
    this.source = source;
    this.start = start;
    this.end = end;
    this.text = text;
    this.copied = copied;
    this.afterComment = comment;
  }

  public Kind kind() {
    return kind;
  }

  /** Index of its first character in the source. */
  public int start() {
    return start;
  }

  /** Index after its last character in the source. */
  public int end() {
    return end;
  }

  /** The folded word, the name without quotes, the value of a string, else the source text. */
  public String text() {
    if (text == null) {
      text =
          kind == Kind.STRING ? source.substring(start + 1, end - 1) : source.substring(start, end);
    }
    return text;
  }

  /** The characters as written. */
  public String written() {
    return source.substring(start, end);
  }

  /** Whether H2 reads the source text of this token as PostgreSQL does. */
  boolean copied() {
    return copied;
  }

  /** Whether a comment stands between the token before and this one. */
  boolean afterComment() {
    return afterComment;
  }

  /** Whether it is the unquoted word {@code word} (lower case). */
  public boolean isWord(String word) {
    return kind == Kind.WORD && text.equals(word);
  }

  /** Whether it is the operator or punctuation mark {@code operator}. */
  public boolean isOperator(String operator) {
    return kind == Kind.OPERATOR
        && end - start == operator.length()
        && source.startsWith(operator, start);
  }

  /** Whether it is the punctuation mark {@code mark}. */
  public boolean isMark(char mark) {
    return kind == Kind.OPERATOR && end - start == 1 && source.charAt(start) == mark;
  }

  /** Whether it opens a bracket, round or square. */
  boolean opens() {
    return isMark('(') || isMark('[');
  }

  /** Whether it closes a bracket, round or square. */
  boolean closes() {
    return isMark(')') || isMark(']');
  }

  /** Whether it can be a name: a word or a quoted name. */
  public boolean isName() {
    return kind == Kind.WORD || kind == Kind.QUOTED;
  }

  /** Whether it is a string constant whose value begins with a backslash. */
  boolean isBackslashString() {
    return kind == Kind.STRING
        && (text == null ? source.charAt(start + 1) == '\\' : text.startsWith("\\"));
  }

  /** Whether the value of a string constant has a backslash in it. */
  boolean hasBackslash() {
    if (text != null) {
      return text.indexOf('\\') >= 0;
    }
    for (int i = start; i < end; i++) {
      if (source.charAt(i) == '\\') {
        return true;
      }
    }
    return false;
  }
}
