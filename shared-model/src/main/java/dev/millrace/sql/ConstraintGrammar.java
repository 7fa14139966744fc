package dev.millrace.sql;

import dev.millrace.model.QualifiedName;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** Constraints of tables and columns: primary key, unique, check, foreign key. */
final class ConstraintGrammar {

  private final TokenStream stream;
  private final SqlOptions options;
  private final Predicate<String> isColumn;

  /**
   * @param isColumn whether a name in a CHECK expression is a column of the table; decides on the
   *     constraint's implicit name
   */
  ConstraintGrammar(TokenStream stream, SqlOptions options, Predicate<String> isColumn) {
    this.stream = stream;
    this.options = options;
    this.isColumn = isColumn;
  }

  /** Whether a table constraint begins here. */
  boolean begins() {
    return stream.isWord("constraint")
        || stream.areWords("primary", "key")
        || stream.isWord("unique")
        || stream.isWord("check") && stream.peek(1).isMark('(')
        || stream.areWords("foreign", "key")
        || stream.isWord("exclude")
            && (stream.peek(1).isMark('(') || stream.peek(1).isWord("using"));
  }

  TableConstraint ofTable() {
    String name = stream.accept("constraint") ? stream.name() : null;
    Token start = stream.peek();
    TableConstraint constraint;
    if (stream.accept("primary", "key")) {
      refuseUsingIndex();
      constraint =
          new TableConstraint(TableConstraint.Kind.PRIMARY_KEY, name, stream.nameList(), null);
    } else if (stream.accept("unique")) {
      refuseUsingIndex();
      nullsDistinct();
      constraint = new TableConstraint(TableConstraint.Kind.UNIQUE, name, stream.nameList(), null);
    } else if (stream.isWord("check")) {
      constraint = check(name);
    } else if (stream.accept("foreign", "key")) {
      List<String> columns = stream.nameList();
      constraint =
          new TableConstraint(TableConstraint.Kind.FOREIGN_KEY, name, columns, references());
    } else if (stream.isWord("exclude")) {
      throw stream.unsupported("EXCLUDE constraints are", start);
    } else if (stream.areWords("not", "null")) {
      throw stream.unsupported("NOT NULL as a table constraint is", start);
    } else {
      throw stream.unexpected();
    }
    attributes();
    return constraint;
  }

  /** A constraint written at {@code column}; null when none begins here. */
  TableConstraint ofColumn(String name, String column) {
    TableConstraint constraint;
    if (stream.accept("primary", "key")) {
      constraint =
          new TableConstraint(TableConstraint.Kind.PRIMARY_KEY, name, List.of(column), null);
    } else if (stream.accept("unique")) {
      nullsDistinct();
      constraint = new TableConstraint(TableConstraint.Kind.UNIQUE, name, List.of(column), null);
    } else if (stream.isWord("check")) {
      constraint = check(name);
    } else if (stream.isWord("references")) {
      constraint =
          new TableConstraint(
              TableConstraint.Kind.FOREIGN_KEY, name, List.of(column), references());
    } else {
      return null;
    }
    attributes();
    return constraint;
  }

  private void refuseUsingIndex() {
    if (stream.areWords("using", "index")) {
      throw stream.unsupported("a constraint USING INDEX is", stream.peek());
    }
  }

  private void nullsDistinct() {
    Token start = stream.peek();
    if (stream.accept("nulls")) {
      if (stream.accept("not")) {
        throw stream.unsupported("NULLS NOT DISTINCT is", start);
      }
      stream.expect("distinct");
    }
  }

  private TableConstraint check(String name) {
    stream.expect("check");
    int open = stream.index();
    int close = stream.skipBrackets();
    Set<String> columns = new LinkedHashSet<>();
    for (int i = open + 1; i < close; i++) {
      Token token = stream.token(i);
      boolean call = stream.token(i + 1).isMark('(') || stream.token(i - 1).isOperator("::");
      if (token.isName() && !call && isColumn.test(token.text())) {
        columns.add(token.text());
      }
    }
    String expression = new ExpressionRewriter(stream, options).rewrite(open, close + 1);
    stream.moveTo(close + 1);
    if (stream.isWord("no") && stream.peek(1).isWord("inherit")) {
      throw stream.unsupported("NO INHERIT is", stream.peek());
    }
    return new TableConstraint(
        TableConstraint.Kind.CHECK, name, new ArrayList<>(columns), expression);
  }

  private String references() {
    stream.expect("references");
    QualifiedName table = stream.qualifiedName();
    StringBuilder text = new StringBuilder("REFERENCES ").append(DdlText.name(table));
    if (stream.isMark('(')) {
      text.append(' ').append(DdlText.columns(stream.nameList()));
    }
    while (true) {
      Token start = stream.peek();
      if (stream.accept("match")) {
        if (!stream.accept("simple")) {
          throw stream.unsupported("MATCH FULL and MATCH PARTIAL are", start);
        }
      } else if (stream.accept("on", "delete")) {
        text.append(" ON DELETE ").append(action());
      } else if (stream.accept("on", "update")) {
        text.append(" ON UPDATE ").append(action());
      } else {
        return text.toString();
      }
    }
  }

  private String action() {
    String action;
    if (stream.accept("no", "action")) {
      action = "NO ACTION";
    } else if (stream.accept("restrict")) {
      action = "RESTRICT";
    } else if (stream.accept("cascade")) {
      action = "CASCADE";
    } else if (stream.accept("set", "null")) {
      action = "SET NULL";
    } else {
      stream.expect("set");
      stream.expect("default");
      action = "SET DEFAULT";
    }
    if (stream.isMark('(')) {
      throw stream.unsupported("a column list of a foreign key action is", stream.peek());
    }
    return action;
  }

  /** Index parameters and deferrability behind a constraint. */
  private void attributes() {
    while (true) {
      Token start = stream.peek();
      if (stream.isWord("include")) {
        throw stream.unsupported("INCLUDE is", start);
      } else if (stream.areWords("with") && stream.peek(1).isMark('(')) {
        stream.next();
        StorageParameters.parse(stream);
      } else if (stream.accept("not", "deferrable") || stream.accept("initially", "immediate")) {
        continue;
      } else if (stream.isWord("deferrable") || stream.areWords("initially", "deferred")) {
        throw stream.unsupported("deferrable constraints are", start);
      } else if (stream.areWords("not", "valid")) {
        throw stream.unsupported("NOT VALID is", start);
      } else if (stream.areWords("not", "enforced")) {
        throw stream.unsupported("NOT ENFORCED is", start);
      } else if (!stream.accept("enforced")) {
        return;
      }
    }
  }
}
