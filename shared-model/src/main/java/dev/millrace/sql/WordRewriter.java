package dev.millrace.sql;

import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.PgInterval;
import dev.millrace.model.PgType;
import dev.millrace.model.TypeInput;
import dev.millrace.model.TypeModifier;
import java.util.Map;
import java.util.regex.Pattern;

/** The rules for unquoted words: keywords that H2 lacks or reads otherwise, and names. */
final class WordRewriter {

  /** Words that always stand for something H2 has not. */
  private static final Map<String, String> UNSUPPORTED =
      Map.of(
          "returning", "RETURNING is",
          "lateral", "LATERAL is",
          "collate", "COLLATE is",
          "similar", "SIMILAR TO is",
          "tablesample", "TABLESAMPLE is");

  private static final Map<String, String> SPELLED_OTHERWISE =
      Map.of("isnull", "IS NULL", "notnull", "IS NOT NULL", "current_catalog", "CURRENT_CATALOG");

  private static final Pattern NUMBER = Pattern.compile(" *[+-]?\\d+(\\.\\d+)? *");

  private final Rewriting rewriting;
  private final CallRewriter calls;
  private final TokenStream stream;
  private final SourceEdits edits;

  WordRewriter(Rewriting rewriting, CallRewriter calls) {
    this.rewriting = rewriting;
    this.calls = calls;
    this.stream = rewriting.stream;
    this.edits = rewriting.edits;
  }

  /** {@code [..]} directly within ARRAY[..]; elsewhere it would be a subscript. */
  void nestedArray(Token token) {
    if (!rewriting.bracket().array) {
      throw stream.unsupported("array subscripts are", token);
    }
    edits.replace(token, "ARRAY[");
    rewriting.open().array = true;
  }

  /** {@code ARRAY[..]}: H2's array turned into the text that columns of array types hold. */
  private int array(int i, Token token) {
    boolean nested = rewriting.bracket().array;
    String open = nested ? "ARRAY[" : SystemCatalog.ARRAY_TEXT + "(ARRAY[";
    edits.replace(token.start(), stream.token(i + 1).end(), open);
    Rewriting.Bracket bracket = rewriting.open();
    bracket.array = true;
    bracket.closing = nested ? null : "])";
    return i + 2;
  }

  /**
   * A constant of a type that is kept as text. Beside + and - an interval is one of H2's, which it
   * can add to a time.
   *
   * @param from the constant's first token
   * @param to the token behind it
   */
  String textConstant(TypeName type, String text, int from, int to) {
    try {
      boolean added = isSum(rewriting.at(from - 1)) || isSum(rewriting.at(to));
      if (added && type.type().oid() == PgType.INTERVAL) {
        return IntervalText.h2Literal(PgInterval.parse(text));
      }
      return Identifiers.literal(TypeInput.canonical(text, type.type().oid(), type.modifier()));
    } catch (PgException e) {
      throw e.withPosition(Lexer.position(stream.sql(), stream.token(from).start()));
    }
  }

  private static boolean isSum(Token token) {
    return token != null && (token.isOperator("+") || token.isOperator("-"));
  }

  /** Handles the word at {@code i}; returns the index to go on from. */
  int word(int i, Token token) {
    Token next = rewriting.at(i + 1);
    if (token.isWord("array") && next != null && next.isMark('[')) {
      return array(i, token);
    }
    boolean qualified = rewriting.isMarkAt(i - 1, '.');
    if (next != null && next.isMark('.')) {
      if (!qualified && token.isWord("pg_catalog")) {
        edits.replace(token.start(), stream.token(i + 2).start(), "");
        return i + 2;
      }
    } else if (next != null && next.isMark('(')) {
      return calls.beforeBracket(i, token);
    } else if (!qualified && isBeforeConstant(i, token)) {
      int after = typedConstant(i, token);
      if (after > 0) {
        return after;
      }
    }
    return qualified ? qualifiedName(i, token) : keyword(i, token);
  }

  /** Behind a dot every word is a name. */
  private int qualifiedName(int i, Token token) {
    String word = token.text();
    boolean reserved =
        Keywords.isReservedByH2Only(word)
            || Keywords.isReservedByH2Mostly(word)
            || Keywords.isReserved(word);
    if (reserved || !token.copied()) {
      quote(token);
    }
    return i + 1;
  }

  private int keyword(int i, Token token) {
    String word = token.text();
    switch (word) {
      case "select", "where", "group", "order", "having", "set", "values", "union", "on":
        rewriting.bracket().clause = word;
        return i + 1;
      case "join":
        rewriting.bracket().clause = "from";
        return i + 1;
      case "from", "using":
        return from(i);
      case "limit":
        return limit(i, token);
      case "as":
        return rewriting.bracket().cast ? rewriting.castType(i + 1) : label(i);
      case "only":
        return only(i, token);
      case "into":
        if (rewriting.bracket().clause.equals("select")) {
          throw stream.unsupported("SELECT INTO is", token);
        }
        return i + 1;
      case "at":
        if (rewriting.isWordAt(i + 1, "time") || rewriting.isWordAt(i + 1, "local")) {
          throw stream.unsupported("AT TIME ZONE is", token);
        }
        return i + 1;
      case "for":
        return locking(i, token);
      default:
        return other(i, token);
    }
  }

  private int other(int i, Token token) {
    String word = token.text();
    if (UNSUPPORTED.containsKey(word)) {
      throw stream.unsupported(UNSUPPORTED.get(word), token);
    }
    if (SystemColumns.isOne(word)) {
      return systemColumn(i, token);
    }
    if (SPELLED_OTHERWISE.containsKey(word)) {
      edits.replace(token, SPELLED_OTHERWISE.get(word));
    } else if (!token.copied()
        || Keywords.isReservedByH2Only(word)
        || Keywords.isReservedByH2Mostly(word) && isNameHere(i, word)) {
      quote(token);
    }
    return i + 1;
  }

  private int from(int i) {
    boolean distinct = rewriting.isWordAt(i - 1, "distinct");
    if (!rewriting.bracket().call && !distinct) {
      rewriting.bracket().clause = "from";
    }
    return i + 1;
  }

  /** H2 does not know LIMIT ALL, which says nothing. */
  private int limit(int i, Token token) {
    rewriting.bracket().clause = "limit";
    if (rewriting.isWordAt(i + 1, "all")) {
      edits.replace(token.start(), stream.token(i + 1).end(), "");
      return i + 2;
    }
    return i + 1;
  }

  /** Behind AS any word can be a name; MATERIALIZED of a CTE only gives the planner advice. */
  private int label(int i) {
    Token label = rewriting.at(i + 1);
    if (label == null || label.kind() != Token.Kind.WORD) {
      return i + 1;
    }
    boolean not = label.isWord("not") && rewriting.isWordAt(i + 2, "materialized");
    if (not || label.isWord("materialized") && rewriting.isMarkAt(i + 2, '(')) {
      edits.replace(label.start(), stream.token(not ? i + 2 : i + 1).end(), "");
      return not ? i + 3 : i + 2;
    }
    if (Keywords.isReserved(label.text())) {
      quote(label);
      return i + 2;
    }
    return i + 1;
  }

  /** FOR UPDATE locks rows in H2 too; the other strengths it does not know. */
  private int locking(int i, Token token) {
    Token next = rewriting.at(i + 1);
    if (next != null && (next.isWord("share") || next.isWord("no") || next.isWord("key"))) {
      throw stream.unsupported("row locks other than FOR UPDATE are", token);
    }
    return i + 1;
  }

  private int systemColumn(int i, Token token) {
    if (!token.isWord("ctid") || !rewriting.rowNumbers) {
      throw stream.unsupported("system column \"" + token.text() + "\" is", token);
    }
    edits.replace(token, "_ROWID_");
    return i + 1;
  }

  /** {@code FROM ONLY t}: H2 has no inheritance, so ONLY says nothing. */
  private int only(int i, Token token) {
    Token before = rewriting.at(i - 1);
    boolean ofFetch =
        before != null
            && (before.isWord("rows")
                || before.isWord("row")
                || before.kind() == Token.Kind.NUMBER);
    if (ofFetch) {
      return i + 1;
    }
    if (rewriting.isMarkAt(i + 1, '(')) {
      throw stream.unsupported("ONLY with brackets is", token);
    }
    edits.replace(token, "");
    return i + 1;
  }

  /** Words that begin a window frame, a row lock or a bracketed clause keep their meaning. */
  private boolean isNameHere(int i, String word) {
    Token before = rewriting.at(i - 1);
    Token after = rewriting.at(i + 1);
    switch (word) {
      case "key":
        return before == null || !before.isWord("primary") && !before.isWord("foreign");
      case "row":
        return before != null
            && (before.isMark(',') || before.isWord("select") || before.isOperator("="));
      case "rows", "range", "groups":
        return (before == null || before.kind() != Token.Kind.NUMBER) && !beginsFrame(after);
      case "over", "partition":
        return after == null || !after.isMark('(') && !after.isWord("by") && !after.isName();
      case "unknown":
        return before == null || !before.isWord("is") && !before.isWord("not");
      default:
        // The field of extract(year from x).
        return !rewriting.bracket().call || after == null || !after.isWord("from");
    }
  }

  private static boolean beginsFrame(Token after) {
    return after != null
        && (after.kind() == Token.Kind.NUMBER
            || after.isWord("between")
            || after.isWord("unbounded")
            || after.isWord("current")
            || after.isWord("only")
            || after.isWord("with")
            || after.isWord("from"));
  }

  /** Whether a constant follows the word, or {@code with time zone} and a constant. */
  private boolean isBeforeConstant(int i, Token token) {
    boolean zoned =
        (token.isWord("time") || token.isWord("timestamp"))
            && (rewriting.isWordAt(i + 1, "with") || rewriting.isWordAt(i + 1, "without"));
    Token constant = rewriting.at(zoned ? i + 4 : i + 1);
    return constant != null && constant.kind() == Token.Kind.STRING;
  }

  /** {@code timestamptz '..'}: a type name before a constant; 0 when the word is no type. */
  private int typedConstant(int i, Token token) {
    PgType type = PgType.byName(token.text());
    if (type == null || rewriting.isWordAt(i - 1, "as")) {
      return 0;
    }
    stream.moveTo(i);
    TypeName name = TypeName.parse(stream);
    int after = stream.index() + 1;
    String text = stream.token(after - 1).text();
    if (name.type().oid() == PgType.INTERVAL && TypeName.isIntervalField(rewriting.at(after))) {
      text = withField(text, after);
      after++;
    }
    String h2Sql;
    if (name.type().isText()) {
      h2Sql = textConstant(name, text, i, after);
    } else if (type.oid() == PgType.BYTEA) {
      h2Sql = Bytea.constant(text);
    } else {
      String read = InputConstant.forH2(text, name.type().oid(), TypeModifier.NONE);
      h2Sql = "CAST(" + Identifiers.literal(read) + " AS " + name.h2Cast() + ")";
    }
    edits.replace(token.start(), stream.token(after - 1).end(), h2Sql);
    return after;
  }

  /** {@code interval '1' day}: the number's unit stands behind the constant. */
  private String withField(String text, int field) {
    if (rewriting.isWordAt(field + 1, "to") || !NUMBER.matcher(text).matches()) {
      throw stream.unsupported(
          "a field behind an interval that is no plain number is", stream.token(field));
    }
    return text + " " + stream.token(field).text();
  }

  private void quote(Token token) {
    edits.replace(token, Identifiers.alwaysQuote(token.text()));
  }
}
