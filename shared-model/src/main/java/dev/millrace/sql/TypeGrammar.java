package dev.millrace.sql;

import dev.millrace.model.ArrayText;
import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import dev.millrace.model.TypeDefinition;
import dev.millrace.sql.ParsedStatement.Ddl;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * CREATE, ALTER and DROP of enums and domains. Both are domains of H2: an enum is text whose labels
 * stand in the domain's comment ({@link TypeTrigger} holds values to them), so that a label is
 * added by one statement. They cannot be renamed: H2 would keep their constraints and comments
 * under the old name, and could not open its file again.
 */
final class TypeGrammar {

  private final TokenStream stream;
  private final SqlOptions options;
  private final boolean domain;

  /** The stream stands at TYPE or DOMAIN. */
  TypeGrammar(TokenStream stream, SqlOptions options) {
    this.stream = stream;
    this.options = options;
    this.domain = stream.isWord("domain");
    stream.next();
  }

  Ddl parse(String verb) {
    Ddl ddl =
        switch (verb) {
          case "create" -> domain ? createDomain() : createType();
          case "alter" -> alter();
          default -> drop();
        };
    stream.expectEnd();
    return ddl;
  }

  private String noun() {
    return domain ? "DOMAIN" : "TYPE";
  }

  private Ddl createType() {
    Token start = stream.peek();
    QualifiedName name = target();
    if (!stream.accept("as", "enum")) {
      throw stream.unsupported("CREATE TYPE of anything but an enum is", start);
    }
    List<String> labels = new ArrayList<>();
    stream.expectMark('(');
    while (!stream.isMark(')')) {
      label(labels, stream.string(), labels.size());
      if (!stream.isMark(')')) {
        stream.expectMark(',');
      }
    }
    stream.expectMark(')');
    String create = "CREATE DOMAIN " + DdlText.name(name) + " AS " + SystemCatalog.ENUM_DOMAIN;
    return ddl(Ddl.Kind.CREATE_TYPE, "CREATE TYPE", List.of(create, comment(name, labels)), name);
  }

  private QualifiedName target() {
    QualifiedName name = stream.qualifiedName();
    SystemSchemas.checkWritable(name);
    return name;
  }

  private static void label(List<String> labels, String label, int position) {
    if (labels.contains(label)) {
      throw new PgException(
          SqlState.DUPLICATE_OBJECT, "enum label \"" + label + "\" already exists");
    }
    labels.add(position, label);
  }

  /** The domain's comment keeps the labels as a text array. */
  private static String comment(QualifiedName name, List<String> labels) {
    String array = new ArrayText(List.of(1), List.of(labels.size()), labels).format();
    return "COMMENT ON DOMAIN " + DdlText.name(name) + " IS " + Identifiers.literal(array);
  }

  static List<String> labels(String comment) {
    return comment == null ? List.of() : ArrayText.parse(comment).elements();
  }

  private Ddl createDomain() {
    QualifiedName name = target();
    stream.accept("as");
    TypeName base = TypeName.parse(stream, options.types());
    List<String> checks = new ArrayList<>();
    String value = "";
    int unnamed = 0;
    while (!stream.atEnd()) {
      String constraint = stream.accept("constraint") ? stream.name() : null;
      if (stream.accept("not", "null")) {
        checks.add(DomainCheck.notNull(name));
      } else if (stream.accept("check")) {
        String given =
            constraint == null ? name.name() + "_check" + numberOf(unnamed++) : constraint;
        checks.add(DomainCheck.clause(name, given, check()));
      } else if (stream.accept("default")) {
        value = " DEFAULT " + defaultValue();
      } else if (stream.isWord("collate")) {
        throw stream.unsupported("COLLATE is", stream.peek());
      } else if (!stream.accept("null")) {
        throw stream.unexpected();
      }
    }
    List<String> statements = new ArrayList<>(base.prerequisites());
    statements.add(
        "CREATE DOMAIN "
            + DdlText.name(name)
            + " AS "
            + base.h2Column()
            + value
            + String.join("", checks));
    return ddl(Ddl.Kind.CREATE_TYPE, "CREATE DOMAIN", statements, name);
  }

  /** The first name has no number. */
  private static String numberOf(int name) {
    return name == 0 ? "" : String.valueOf(name);
  }

  /** The condition with its brackets; VALUE in it is no name. */
  private String check() {
    int open = stream.index();
    int close = stream.skipBrackets();
    ExpressionRewriter rewriter = new ExpressionRewriter(stream, options);
    for (int i = open; i < close; i++) {
      if (stream.token(i).isWord("value")) {
        rewriter.replaceToken(i, "VALUE");
      }
    }
    String text = rewriter.rewrite(open, close + 1);
    stream.moveTo(close + 1);
    return text;
  }

  private String defaultValue() {
    int first = stream.index();
    int depth = 0;
    while (!stream.atEnd()) {
      Token token = stream.peek();
      boolean ends =
          depth == 0
              && stream.index() > first
              && (token.isWord("not")
                  || token.isWord("null")
                  || token.isWord("check")
                  || token.isWord("constraint"));
      if (ends) {
        break;
      }
      depth += token.opens() ? 1 : token.closes() ? -1 : 0;
      stream.next();
    }
    int end = stream.index();
    if (end == first) {
      throw stream.unexpected();
    }
    String text = new ExpressionRewriter(stream, options).rewrite(first, end);
    stream.moveTo(end);
    return text;
  }

  private Ddl alter() {
    QualifiedName name = target();
    Token action = stream.peek();
    if (!domain && stream.accept("add", "value")) {
      return addValue(name);
    }
    throw stream.unsupported("this form of ALTER " + noun() + " is", action);
  }

  private Ddl addValue(QualifiedName name) {
    boolean ifNotExists = stream.accept("if", "not", "exists");
    String added = stream.string();
    TypeDefinition type = options.types().find(name);
    if (type == null || !type.isEnum()) {
      throw new PgException(
          type == null ? SqlState.UNDEFINED_OBJECT : SqlState.WRONG_OBJECT_TYPE,
          type == null
              ? "type \"" + name.name() + "\" does not exist"
              : name.name() + " is not an enum");
    }
    List<String> labels = new ArrayList<>();
    type.labels().forEach(label -> labels.add(label.text()));
    int position = labels.size();
    boolean before = stream.isWord("before");
    if (before || stream.isWord("after")) {
      stream.next();
      String neighbour = stream.string();
      position = labels.indexOf(neighbour) + (before ? 0 : 1);
      if (!labels.contains(neighbour)) {
        throw new PgException(
            SqlState.INVALID_PARAMETER_VALUE,
            "\"" + neighbour + "\" is not an existing enum label");
      }
    }
    if (!ifNotExists || !labels.contains(added)) {
      label(labels, added, position);
    }
    return ddl(Ddl.Kind.ALTER_TYPE, "ALTER TYPE", List.of(comment(name, labels)), name);
  }

  private Ddl drop() {
    boolean ifExists = stream.accept("if", "exists");
    List<QualifiedName> names = stream.qualifiedNames();
    names.forEach(SystemSchemas::checkWritable);
    Token behaviour = stream.peek();
    if (stream.accept("cascade")) {
      throw stream.unsupported("DROP " + noun() + " .. CASCADE is", behaviour);
    }
    stream.accept("restrict");
    List<String> statements = new ArrayList<>();
    for (QualifiedName name : names) {
      statements.add(
          "DROP DOMAIN " + (ifExists ? "IF EXISTS " : "") + DdlText.name(name) + " RESTRICT");
    }
    return new Ddl(
        stream.original(),
        Ddl.Kind.DROP_TYPE,
        "DROP " + noun(),
        statements,
        names,
        ifExists,
        Map.of(),
        null);
  }

  private Ddl ddl(Ddl.Kind kind, String tag, List<String> statements, QualifiedName name) {
    return new Ddl(stream.original(), kind, tag, statements, List.of(name), false, Map.of(), null);
  }
}
