package dev.millrace.sql;

import dev.millrace.model.QualifiedName;
import dev.millrace.sql.ParsedStatement.Ddl;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** CREATE, ALTER and DROP SEQUENCE. */
final class SequenceGrammar {

  private final TokenStream stream;

  SequenceGrammar(TokenStream stream) {
    this.stream = stream;
  }

  /** The stream stands at SEQUENCE, behind {@code verb}. */
  Ddl parse(String verb) {
    stream.expect("sequence");
    Ddl ddl =
        switch (verb) {
          case "create" -> create();
          case "alter" -> alter();
          default -> drop();
        };
    stream.expectEnd();
    return ddl;
  }

  private Ddl create() {
    boolean ifNotExists = stream.accept("if", "not", "exists");
    QualifiedName name = stream.qualifiedName();
    String text =
        "CREATE SEQUENCE "
            + (ifNotExists ? "IF NOT EXISTS " : "")
            + DdlText.name(name)
            + " "
            + SequenceOptions.parse(stream);
    return ddl(
        Ddl.Kind.CREATE_SEQUENCE,
        "CREATE SEQUENCE",
        List.of(text.stripTrailing()),
        List.of(name),
        ifNotExists);
  }

  private Ddl alter() {
    boolean ifExists = stream.accept("if", "exists");
    QualifiedName name = stream.qualifiedName();
    Token action = stream.peek();
    if (stream.isWord("rename") || stream.isWord("owner") || stream.isWord("set")) {
      throw stream.unsupported("this form of ALTER SEQUENCE is", action);
    }
    if (stream.atEnd()) {
      throw stream.unexpected();
    }
    String text =
        "ALTER SEQUENCE "
            + (ifExists ? "IF EXISTS " : "")
            + DdlText.name(name)
            + " "
            + SequenceOptions.parse(stream);
    return ddl(Ddl.Kind.ALTER_SEQUENCE, "ALTER SEQUENCE", List.of(text), List.of(name), ifExists);
  }

  private Ddl drop() {
    boolean ifExists = stream.accept("if", "exists");
    List<QualifiedName> names = stream.qualifiedNames();
    Token cascade = stream.peek();
    if (stream.accept("cascade")) {
      throw stream.unsupported("DROP SEQUENCE .. CASCADE is", cascade);
    }
    stream.accept("restrict");
    List<String> statements = new ArrayList<>();
    for (QualifiedName name : names) {
      statements.add("DROP SEQUENCE " + (ifExists ? "IF EXISTS " : "") + DdlText.name(name));
    }
    return ddl(Ddl.Kind.DROP_SEQUENCE, "DROP SEQUENCE", statements, names, ifExists);
  }

  private Ddl ddl(
      Ddl.Kind kind,
      String tag,
      List<String> statements,
      List<QualifiedName> names,
      boolean ifExists) {
    names.forEach(SystemSchemas::checkWritable);
    return new Ddl(stream.original(), kind, tag, statements, names, ifExists, Map.of(), null);
  }
}
