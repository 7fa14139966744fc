package dev.millrace.sql;

import java.util.ArrayDeque;

/**
 * Where an {@link ExpressionRewriter} stands: the tokens, the brackets open around the next one,
 * and the text made so far. Shared by the classes that each know a part of the rules.
 */
final class Rewriting {

  /** One open bracket, or the level outside all. */
  static final class Bracket {
    /** What to put in place of the closing bracket; null for the bracket itself. */
    String closing;

    /** Where to go on behind the closing bracket; 0 for the next token. */
    int resume;

    /** It is an array's square one. */
    boolean array;

    /** It is CAST's: a type follows AS. */
    boolean cast;

    /** It belongs to a function call: FROM in it starts no table list. */
    boolean call;

    /** The clause begun last at this depth: select, from, on, where .. */
    String clause = "";
  }

  final TokenStream stream;
  final SqlOptions options;
  final boolean rowNumbers;
  final SourceEdits edits;
  private final ArrayDeque<Bracket> outer = new ArrayDeque<>();
  private Bracket bracket = new Bracket();
  private int from;
  private int to;

  Rewriting(TokenStream stream, SqlOptions options, boolean rowNumbers) {
    this.stream = stream;
    this.options = options;
    this.rowNumbers = rowNumbers;
    this.edits = new SourceEdits(stream.sql());
  }

  /** The tokens {@code first} to {@code limit} (exclusive) are rewritten. */
  void begin(int first, int limit, String clause) {
    from = first;
    to = limit;
    bracket.clause = clause;
    edits.begin(stream.token(first).start());
  }

  int limit() {
    return to;
  }

  /** The token at {@code i}, or null outside the stretch. */
  Token at(int i) {
    return i >= from && i < to ? stream.token(i) : null;
  }

  boolean isWordAt(int i, String word) {
    Token token = at(i);
    return token != null && token.isWord(word);
  }

  boolean isMarkAt(int i, char mark) {
    Token token = at(i);
    return token != null && token.isMark(mark);
  }

  /** The innermost open bracket. */
  Bracket bracket() {
    return bracket;
  }

  /** Begins the level of an opening bracket. */
  Bracket open() {
    outer.push(bracket);
    bracket = new Bracket();
    return bracket;
  }

  /** Ends the level of the closing bracket at {@code i}; returns the index to go on from. */
  int close(int i, Token token) {
    if (outer.isEmpty() || bracket.array != token.isMark(']')) {
      throw stream.unexpected(token);
    }
    int after = Math.max(i + 1, bracket.resume);
    if (bracket.closing != null) {
      edits.replace(token.start(), stream.token(after - 1).end(), bracket.closing);
    }
    bracket = outer.pop();
    return after;
  }

  /** The index of the bracket that closes the one at {@code open}. */
  int closing(int open) {
    stream.moveTo(open);
    return stream.skipBrackets();
  }

  /** The type written from {@code i} on is replaced by H2's; returns the index behind it. */
  int castType(int i) {
    stream.moveTo(i);
    TypeName type = TypeName.parse(stream, options.types());
    int after = stream.index();
    edits.replace(stream.token(i).start(), stream.token(after - 1).end(), type.h2Cast());
    return after;
  }
}
