package dev.millrace.sql;

import dev.millrace.model.Identifiers;
import dev.millrace.model.PgType;
import dev.millrace.model.SqlState;
import dev.millrace.model.TypeInput;
import dev.millrace.model.TypeModifier;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Turns a run of tokens (an expression, a query, the tail of an INSERT) into H2's SQL in one pass.
 *
 * <p>It is no parser: text is copied from the source, and only where H2 reads a token differently
 * something else is put in its place - type names of casts, E'' and dollar-quoted strings, {@code
 * $n}, bytea constants, words that only H2 reserves ({@link WordRewriter}), functions that are
 * spelled differently ({@link CallRewriter}). Anything H2 would take for something else is refused.
 *
 * <p>The price of not parsing: rules look at a few tokens around and at the clause they are in, so
 * a rule cannot depend on the type of an expression.
 */
final class ExpressionRewriter {

  /** Operators that mean the same to both. */
  private static final Set<String> OPERATORS =
      Set.of(
          "+", "-", "*", "/", "%", "<", ">", "<=", ">=", "=", "<>", "!=", "||", "~", "~*", "!~",
          "!~*");

  private final Rewriting rewriting;
  private final TokenStream stream;
  private final SourceEdits edits;
  private final WordRewriter words;
  private final Map<Integer, String> insertions = new HashMap<>(0);
  private final Map<Integer, String> replacements = new HashMap<>(0);
  private boolean textOnly;

  ExpressionRewriter(TokenStream stream, SqlOptions options) {
    this(stream, options, false);
  }

  /**
   * @param rowNumbers ctid may be used, as in DELETE .. WHERE ctid = (SELECT min(ctid) ..): H2's
   *     row number stands in for it within one statement
   */
  ExpressionRewriter(TokenStream stream, SqlOptions options, boolean rowNumbers) {
    this.rewriting = new Rewriting(stream, options, rowNumbers);
    this.stream = stream;
    this.edits = rewriting.edits;
    this.words = new WordRewriter(rewriting, new CallRewriter(rewriting));
  }

  /** Constants that look like bytea are text: the value's type is known to be another. */
  ExpressionRewriter withoutBytea() {
    textOnly = true;
    return this;
  }

  /** Puts text behind the token at {@code index} when {@link #rewrite} comes to it. */
  void insertAfter(int index, String text) {
    insertions.put(index, text);
  }

  /** Puts text in place of the token at {@code index} when {@link #rewrite} comes to it. */
  void replaceToken(int index, String text) {
    replacements.put(index, text);
  }

  /** The H2 text of the tokens {@code from} to {@code to} (exclusive). */
  String rewrite(int from, int to) {
    return rewrite(from, to, "");
  }

  /**
   * As {@link #rewrite(int, int)}, for tokens that begin inside a clause.
   *
   * @param clause the clause they begin in: {@code from} where tables are listed
   */
  String rewrite(int from, int to, String clause) {
    if (from >= to) {
      return "";
    }
    rewriting.begin(from, to, clause);
    int i = from;
    while (i < to) {
      Token token = stream.token(i);
      if (token.afterComment() && i > from) {
        edits.replace(stream.token(i - 1).end(), token.start(), " ");
      }
      String replacement = replacements.isEmpty() ? null : replacements.get(i);
      if (replacement != null) {
        edits.replace(token, replacement);
        i++;
      } else {
        i = token(i, token);
      }
      String insertion = insertions.isEmpty() ? null : insertions.get(i - 1);
      if (insertion != null) {
        int end = stream.token(i - 1).end();
        edits.replace(end, end, insertion);
      }
    }
    return edits.finish(stream.token(to - 1).end());
  }

  /** Handles the token at {@code i}; returns the index to go on from. */
  private int token(int i, Token token) {
    switch (token.kind()) {
      case NUMBER:
        return i + 1;
      case WORD:
        return words.word(i, token);
      case OPERATOR:
        return operator(i, token);
      case STRING:
        return string(i, token);
      case QUOTED:
        if (!token.copied()) {
          edits.replace(token, Identifiers.alwaysQuote(token.text()));
        }
        return i + 1;
      case PARAMETER:
        edits.replace(token, "?" + token.text());
        return i + 1;
      case BIT_STRING:
        return bitString(i, token);
      default:
        throw stream.unexpected(token);
    }
  }

  /**
   * A constant in bytea's hexadecimal form is taken for bytes where its type is open: not behind a
   * cast, and not among a function's arguments, where PostgreSQL takes it for text.
   */
  private int string(int i, Token token) {
    Token operator = rewriting.at(i + 1);
    boolean cast = operator != null && operator.isOperator("::");
    if (cast) {
      int after = castConstant(i, token);
      if (after > 0) {
        return after;
      }
    }
    if (rewriting.bracket().cast && rewriting.isWordAt(i + 1, "as")) {
      stream.moveTo(i + 2);
      TypeName type = TypeName.parse(stream, rewriting.options.types());
      if (type.user() == null && readByPostgres(token, type)) {
        return i + 1;
      }
    }
    boolean bytesPossible = !cast && !textOnly && !rewriting.bracket().call;
    if (bytesPossible && token.isBackslashString() && Bytea.isHex(token.text())) {
      edits.replace(token, Bytea.hexConstant(token.text()));
    } else if (!token.copied()) {
      edits.replace(token, Identifiers.literal(token.text()));
    }
    return i + 1;
  }

  /** A bit string is kept as text of zeros and ones; a cast cuts it or fills it up. */
  private int bitString(int i, Token token) {
    String digits = token.text().substring(2, token.end() - token.start() - 1);
    boolean hex = Character.toLowerCase(token.text().charAt(0)) == 'x';
    String bits = TypeInput.canonical((hex ? "x" : "b") + digits, PgType.VARBIT, -1);
    Token operator = rewriting.at(i + 1);
    int after = i + 1;
    if (operator != null && operator.isOperator("::")) {
      stream.moveTo(i + 2);
      TypeName type = TypeName.parse(stream, rewriting.options.types());
      after = stream.index();
      int length = type.modifier();
      if (length >= 0 && bits.length() > length) {
        bits = bits.substring(0, length);
      } else if (type.type().oid() == PgType.BIT) {
        bits += "0".repeat(length - bits.length());
      }
    }
    edits.replace(token.start(), stream.token(after - 1).end(), Identifiers.literal(bits));
    return after;
  }

  /** A constant with {@code ::} whose meaning depends on the type; 0 for all others. */
  private int castConstant(int i, Token token) {
    String constant;
    int after = i + 3;
    if (rewriting.isWordAt(i + 2, "regclass")) {
      constant = SystemNames.oidOfRelation(token.text());
    } else if (rewriting.isWordAt(i + 2, "bytea") && !rewriting.isMarkAt(i + 3, '[')) {
      constant = Bytea.constant(token.text());
    } else {
      stream.moveTo(i + 2);
      TypeName type = TypeName.parse(stream, rewriting.options.types());
      boolean floating = type.type().oid() == PgType.FLOAT4 || type.type().oid() == PgType.FLOAT8;
      if (floating) {
        words.textConstant(type, token.text(), i, stream.index()); // H2 would make it infinity.
      }
      after = stream.index();
      if (!type.type().isText() || type.user() != null) {
        return readByPostgres(token, type) ? i + 1 : 0;
      }
      constant = words.textConstant(type, token.text(), i, after);
    }
    edits.replace(token.start(), stream.token(after - 1).end(), constant);
    return after;
  }

  /** Replaces a constant whose spelling H2 would read otherwise for that type. */
  private boolean readByPostgres(Token token, TypeName type) {
    String read = InputConstant.forH2(token.text(), type.type().oid(), TypeModifier.NONE);
    if (read.equals(token.text())) {
      return false;
    }
    edits.replace(token, Identifiers.literal(read));
    return true;
  }

  private int operator(int i, Token token) {
    if (token.closes()) {
      return rewriting.close(i, token);
    }
    if (token.end() - token.start() == 1 && punctuation(token)) {
      return i + 1;
    }
    String operator = token.text();
    if (operator.equals("::")) {
      if (rewriting.isWordAt(i + 1, "regclass")) {
        throw stream.unsupported("casts to regclass of anything but a constant are", token);
      }
      return rewriting.castType(i + 1);
    }
    if (operator.equals("=>") || operator.equals(":=")) {
      throw stream.unsupported("named arguments of this function are", token);
    }
    if (!OPERATORS.contains(operator)) {
      throw stream.error(
          SqlState.FEATURE_NOT_SUPPORTED, "operator " + operator + " is not supported", token);
    }
    return i + 1;
  }

  /** Handles a mark that is no operator; false for operators of one character. */
  private boolean punctuation(Token token) {
    switch (token.text().charAt(0)) {
      case '(':
        rewriting.open();
        return true;
      case ',':
        if (rewriting.bracket().clause.equals("on")) {
          rewriting.bracket().clause = "from";
        }
        return true;
      case '.':
        return true;
      case '[':
        words.nestedArray(token);
        return true;
      case ':', ';':
        throw stream.unexpected(token);
      default:
        return false;
    }
  }
}
