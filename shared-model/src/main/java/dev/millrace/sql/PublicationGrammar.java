package dev.millrace.sql;

import dev.millrace.model.QualifiedName;
import dev.millrace.model.SqlState;
import dev.millrace.sql.ParsedStatement.AlterPublication;
import dev.millrace.sql.ParsedStatement.CreatePublication;
import dev.millrace.sql.ParsedStatement.DropPublication;
import dev.millrace.sql.ParsedStatement.PublicationObjects;
import dev.millrace.sql.ParsedStatement.PublicationTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** CREATE, ALTER and DROP PUBLICATION as in PostgreSQL 18. */
final class PublicationGrammar {

  private static final PublicationObjects NO_OBJECTS = new PublicationObjects(List.of(), List.of());

  private final TokenStream stream;
  private final SqlOptions options;

  PublicationGrammar(TokenStream stream, SqlOptions options) {
    this.stream = stream;
    this.options = options;
  }

  /** The stream stands at PUBLICATION, after {@code verb}. */
  ParsedStatement parse(String verb) {
    stream.expect("publication");
    ParsedStatement statement =
        switch (verb) {
          case "create" -> create();
          case "alter" -> alter();
          default -> drop();
        };
    stream.expectEnd();
    return statement;
  }

  private CreatePublication create() {
    String name = stream.name();
    boolean allTables = false;
    PublicationObjects objects = NO_OBJECTS;
    if (stream.accept("for")) {
      if (stream.accept("all", "tables")) {
        allTables = true;
        refuseLaterForms();
      } else if (stream.areWords("all", "sequences")) {
        throw stream.unsupported("FOR ALL SEQUENCES is", stream.peek());
      } else {
        objects = objects();
      }
    }
    Map<String, String> parameters = OptionList.with(stream);
    return new CreatePublication(stream.original(), name, objects, allTables, parameters);
  }

  /** What PostgreSQL 19 adds behind FOR ALL TABLES. */
  private void refuseLaterForms() {
    if (stream.isWord("except")) {
      throw stream.unsupported("FOR ALL TABLES EXCEPT is", stream.peek());
    }
    if (stream.isMark(',')) {
      throw stream.unsupported("FOR ALL SEQUENCES is", stream.peek());
    }
  }

  private AlterPublication alter() {
    String name = stream.name();
    Token action = stream.peek();
    if (stream.accept("add")) {
      return change(name, AlterPublication.Action.ADD, objects());
    }
    if (stream.accept("drop")) {
      return change(name, AlterPublication.Action.DROP, objects());
    }
    if (stream.accept("set")) {
      if (stream.isMark('(')) {
        return new AlterPublication(
            stream.original(),
            name,
            AlterPublication.Action.SET_OPTIONS,
            NO_OBJECTS,
            OptionList.parse(stream),
            null);
      }
      if (stream.isWord("all")) {
        throw stream.unsupported("ALTER PUBLICATION .. SET ALL is", stream.peek());
      }
      return change(name, AlterPublication.Action.SET, objects());
    }
    if (stream.accept("rename")) {
      stream.expect("to");
      return named(name, AlterPublication.Action.RENAME, stream.name());
    }
    if (stream.accept("owner")) {
      stream.expect("to");
      return named(name, AlterPublication.Action.OWNER, owner(stream));
    }
    throw stream.unexpected(action);
  }

  private AlterPublication change(
      String name, AlterPublication.Action action, PublicationObjects objects) {
    return new AlterPublication(stream.original(), name, action, objects, Map.of(), null);
  }

  private AlterPublication named(String name, AlterPublication.Action action, String newName) {
    return new AlterPublication(stream.original(), name, action, NO_OBJECTS, Map.of(), newName);
  }

  /** A role: a name or CURRENT_ROLE, CURRENT_USER, SESSION_USER (given as that word). */
  static String owner(TokenStream stream) {
    for (String role : List.of("current_role", "current_user", "session_user")) {
      if (stream.accept(role)) {
        return role;
      }
    }
    return stream.name();
  }

  private DropPublication drop() {
    boolean ifExists = stream.accept("if", "exists");
    List<String> names = stream.names();
    if (!stream.accept("cascade")) {
      stream.accept("restrict");
    }
    return new DropPublication(stream.original(), names, ifExists);
  }

  /** TABLE and TABLES IN SCHEMA hold for the names after them until the next of these words. */
  private PublicationObjects objects() {
    List<PublicationTable> tables = new ArrayList<>();
    List<String> schemas = new ArrayList<>();
    boolean started = false;
    boolean inTables = false;
    do {
      Token start = stream.peek();
      if (stream.accept("tables")) {
        stream.expect("in");
        stream.expect("schema");
        inTables = false;
        started = true;
      } else if (stream.accept("table")) {
        inTables = true;
        started = true;
      } else if (!started) {
        if (stream.atEnd() || !start.isName()) {
          throw stream.unexpected();
        }
        throw stream
            .error(SqlState.SYNTAX_ERROR, "invalid publication object list", start)
            .withDetail(
                "One of TABLE or TABLES IN SCHEMA must be specified before a standalone table or"
                    + " schema name.");
      }
      if (inTables) {
        tables.add(table());
      } else {
        schemas.add(schema());
      }
    } while (stream.acceptMark(','));
    return new PublicationObjects(tables, schemas);
  }

  private String schema() {
    if (stream.accept("current_schema")) {
      return "public";
    }
    Token start = stream.peek();
    String name = stream.name();
    if (stream.isMark('.')) {
      throw stream.error(SqlState.SYNTAX_ERROR, "invalid schema name", start);
    }
    if (stream.isMark('(')) {
      throw stream.error(
          SqlState.SYNTAX_ERROR, "column specification not allowed for schema", stream.peek());
    }
    if (stream.isWord("where")) {
      throw stream.error(
          SqlState.SYNTAX_ERROR, "WHERE clause not allowed for schema", stream.peek());
    }
    return name;
  }

  private PublicationTable table() {
    boolean only = stream.accept("only");
    boolean bracketed = only && stream.acceptMark('(');
    QualifiedName table = stream.qualifiedName();
    if (bracketed) {
      stream.expectMark(')');
    }
    if (!stream.atEnd() && stream.peek().isOperator("*")) {
      stream.next();
    }
    List<String> columns = stream.isMark('(') ? stream.nameList() : null;
    String where = null;
    if (stream.accept("where")) {
      where = bracketedText();
    }
    return new PublicationTable(table, columns, where);
  }

  /** The text between the brackets, as written. */
  private String bracketedText() {
    Token open = stream.peek();
    int first = stream.index() + 1;
    int close = stream.skipBrackets();
    if (close == first) {
      throw stream.unexpected(stream.token(close));
    }
    return stream.sql().substring(open.end(), stream.token(close).start()).strip();
  }
}
