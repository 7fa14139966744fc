package dev.millrace.sql;

import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import java.util.ArrayList;
import java.util.List;

/**
 * A cursor over the tokens of one statement: looks ahead, takes what the grammar expects, and words
 * the error where it finds something else. One thread.
 */
public final class TokenStream {

  private final String sql;
  private final List<Token> tokens;
  private final int first;
  private final int limit;
  private int at;

  /** The tokens {@code first} to {@code limit} (exclusive); a token must stand at the limit. */
  TokenStream(String sql, List<Token> tokens, int first, int limit) {
    this.sql = sql;
    this.tokens = tokens;
    this.first = first;
    this.limit = limit;
    this.at = first;
  }

  /** A stream over the whole of {@code sql}. */
  static TokenStream of(String sql) {
    List<Token> tokens = Lexer.tokens(sql);
    return new TokenStream(sql, tokens, 0, tokens.size() - 1);
  }

  /** A stream over a replication command, in which LSNs occur. */
  public static TokenStream ofReplicationCommand(String text) {
    List<Token> tokens = Lexer.replicationTokens(text);
    return new TokenStream(text, tokens, 0, tokens.size() - 1);
  }

  /** The same tokens up to {@code end} (exclusive), from where this stream stands. */
  TokenStream upTo(int end) {
    TokenStream part = new TokenStream(sql, tokens, first, end);
    part.moveTo(at);
    return part;
  }

  /** The statement as written, without blanks around it. */
  public String original() {
    return first == limit
        ? ""
        : sql.substring(tokens.get(first).start(), tokens.get(limit - 1).end());
  }

  /** The first token of the statement. */
  public Token first() {
    return tokens.get(first);
  }

  String sql() {
    return sql;
  }

  int index() {
    return at;
  }

  int limit() {
    return limit;
  }

  void moveTo(int index) {
    at = index;
  }

  Token token(int index) {
    return tokens.get(index);
  }

  public boolean atEnd() {
    return at >= limit;
  }

  /** The next token; at the end the one that ends the statement. */
  public Token peek() {
    return tokens.get(at);
  }

  /** The token {@code ahead} places after the next one. */
  public Token peek(int ahead) {
    return tokens.get(Math.min(at + ahead, limit));
  }

  public Token next() {
    if (atEnd()) {
      throw unexpected();
    }
    return tokens.get(at++);
  }

  public boolean isWord(String word) {
    return !atEnd() && peek().isWord(word);
  }

  /** Whether the next tokens are these words. */
  public boolean areWords(String... words) {
    for (int i = 0; i < words.length; i++) {
      if (at + i >= limit || !tokens.get(at + i).isWord(words[i])) {
        return false;
      }
    }
    return true;
  }

  /** Takes these words if they are next. */
  public boolean accept(String... words) {
    if (!areWords(words)) {
      return false;
    }
    at += words.length;
    return true;
  }

  public void expect(String... words) {
    for (String word : words) {
      if (!accept(word)) {
        throw unexpected();
      }
    }
  }

  public boolean isMark(char mark) {
    return !atEnd() && peek().isMark(mark);
  }

  public boolean acceptMark(char mark) {
    if (!isMark(mark)) {
      return false;
    }
    at++;
    return true;
  }

  public void expectMark(char mark) {
    if (!acceptMark(mark)) {
      throw unexpected();
    }
  }

  public void expectEnd() {
    if (!atEnd()) {
      throw unexpected();
    }
  }

  /** A name: a word that PostgreSQL does not reserve, or a quoted name. */
  public String name() {
    Token token = peek();
    if (atEnd() || !token.isName() || isReserved(token)) {
      throw unexpected();
    }
    at++;
    return token.text();
  }

  /** A name where PostgreSQL takes any word, as after AS or in an option list. */
  public String label() {
    if (atEnd() || !peek().isName()) {
      throw unexpected();
    }
    return next().text();
  }

  /** A string constant's value. */
  public String string() {
    if (atEnd() || peek().kind() != Token.Kind.STRING) {
      throw unexpected();
    }
    return next().text();
  }

  /** A table or index name with or without schema; {@code public} stands in for none. */
  public QualifiedName qualifiedName() {
    Token start = peek();
    String name = name();
    if (!acceptMark('.')) {
      return new QualifiedName("public", name);
    }
    String second = label();
    if (isMark('.')) {
      throw error(
          SqlState.FEATURE_NOT_SUPPORTED,
          "cross-database references are not implemented: "
              + Identifiers.quote(name)
              + "."
              + Identifiers.quote(second),
          start);
    }
    return new QualifiedName(name, second);
  }

  public List<QualifiedName> qualifiedNames() {
    List<QualifiedName> names = new ArrayList<>();
    do {
      names.add(qualifiedName());
    } while (acceptMark(','));
    return names;
  }

  public List<String> names() {
    List<String> names = new ArrayList<>();
    do {
      names.add(name());
    } while (acceptMark(','));
    return names;
  }

  /** Names in brackets. */
  public List<String> nameList() {
    expectMark('(');
    List<String> names = names();
    expectMark(')');
    return names;
  }

  /** Moves behind the bracket that closes the one the stream stands at; returns its index. */
  int skipBrackets() {
    expectMark('(');
    int depth = 1;
    while (depth > 0) {
      if (atEnd()) {
        throw unexpected();
      }
      Token token = tokens.get(at++);
      if (token.isMark('(')) {
        depth++;
      } else if (token.isMark(')')) {
        depth--;
      }
    }
    return at - 1;
  }

  /** Whether a word cannot be a table or column name without quotes. */
  static boolean isReserved(Token token) {
    return token.kind() == Token.Kind.WORD && Keywords.isReserved(token.text());
  }

  /** The syntax error PostgreSQL reports at the next token. */
  public PgException unexpected() {
    return unexpected(tokens.get(Math.min(at, limit)));
  }

  /** The syntax error PostgreSQL reports at a token. */
  public PgException unexpected(Token token) {
    String message =
        token.kind() == Token.Kind.END
            ? "syntax error at end of input"
            : "syntax error at or near \"" + shown(token) + "\"";
    return error(SqlState.SYNTAX_ERROR, message, token);
  }

  private static String shown(Token token) {
    String text = token.written();
    return text.length() <= Lexer.MAX_SHOWN ? text : text.substring(0, Lexer.MAX_SHOWN);
  }

  /** Refuses a feature by name (0A000) at a token. */
  public PgException unsupported(String feature, Token token) {
    return error(SqlState.FEATURE_NOT_SUPPORTED, feature + " not supported", token);
  }

  /** An error with the position of a token. */
  public PgException error(String state, String message, Token token) {
    return new PgException(state, message).withPosition(Lexer.position(sql, token.start()));
  }
}
