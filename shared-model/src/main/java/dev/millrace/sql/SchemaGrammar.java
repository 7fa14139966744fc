package dev.millrace.sql;

import dev.millrace.model.QualifiedName;
import dev.millrace.sql.ParsedStatement.Ddl;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** CREATE, ALTER and DROP SCHEMA. A schema's target has its own name twice. */
final class SchemaGrammar {

  private final TokenStream stream;

  SchemaGrammar(TokenStream stream) {
    this.stream = stream;
  }

  /** The stream stands at SCHEMA, behind {@code verb}. */
  Ddl parse(String verb) {
    stream.expect("schema");
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
    if (stream.isWord("authorization")) {
      throw stream.unsupported("AUTHORIZATION is", stream.peek());
    }
    String name = stream.name();
    if (stream.isWord("authorization")) {
      throw stream.unsupported("AUTHORIZATION is", stream.peek());
    }
    if (!stream.atEnd()) {
      throw stream.unsupported("elements in CREATE SCHEMA are", stream.peek());
    }
    SystemSchemas.checkSchemaName(name);
    String text = "CREATE SCHEMA " + (ifNotExists ? "IF NOT EXISTS " : "") + DdlText.name(name);
    return ddl(Ddl.Kind.CREATE_SCHEMA, "CREATE SCHEMA", List.of(text), List.of(name), ifNotExists);
  }

  private Ddl alter() {
    String name = stream.name();
    Token action = stream.peek();
    if (!stream.accept("rename")) {
      throw stream.isWord("owner")
          ? stream.unsupported("ALTER SCHEMA .. OWNER is", action)
          : stream.unexpected();
    }
    stream.expect("to");
    String newName = stream.name();
    SystemSchemas.checkSchemaName(name);
    SystemSchemas.checkSchemaName(newName);
    String text = "ALTER SCHEMA " + DdlText.name(name) + " RENAME TO " + DdlText.name(newName);
    return new Ddl(
        stream.original(),
        Ddl.Kind.OTHER,
        "ALTER SCHEMA",
        List.of(text),
        List.of(new QualifiedName(name, name)),
        false,
        Map.of(name, newName),
        new QualifiedName(newName, newName));
  }

  private Ddl drop() {
    boolean ifExists = stream.accept("if", "exists");
    List<String> names = stream.names();
    boolean cascade = stream.accept("cascade");
    if (!cascade) {
      stream.accept("restrict");
    }
    List<String> statements = new ArrayList<>();
    for (String name : names) {
      SystemSchemas.checkSchemaName(name);
      statements.add(
          "DROP SCHEMA "
              + (ifExists ? "IF EXISTS " : "")
              + DdlText.name(name)
              + (cascade ? " CASCADE" : " RESTRICT"));
    }
    return ddl(Ddl.Kind.DROP_SCHEMA, "DROP SCHEMA", statements, names, ifExists);
  }

  private Ddl ddl(
      Ddl.Kind kind, String tag, List<String> statements, List<String> names, boolean ifExists) {
    List<QualifiedName> targets = new ArrayList<>();
    names.forEach(name -> targets.add(new QualifiedName(name, name)));
    return new Ddl(stream.original(), kind, tag, statements, targets, ifExists, Map.of(), null);
  }
}
