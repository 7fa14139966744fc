package dev.millrace.sql;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.sql.ParsedStatement.TransactionControl;
import dev.millrace.sql.ParsedStatement.TransactionControl.Kind;
import dev.millrace.sql.TransactionBackend.IsolationLevel;

/** BEGIN, COMMIT, ROLLBACK, savepoints and the two-phase commands in all their spellings. */
final class TransactionGrammar {

  private final TokenStream stream;
  private String name;
  private IsolationLevel isolation;
  private Boolean readOnly;
  private boolean chain;

  TransactionGrammar(TokenStream stream) {
    this.stream = stream;
  }

  TransactionControl parse() {
    Kind kind = kind();
    stream.expectEnd();
    return new TransactionControl(stream.original(), kind, name, isolation, readOnly, chain);
  }

  private Kind kind() {
    Token verb = stream.next();
    switch (verb.text()) {
      case "begin":
        workOrTransaction();
        modes();
        return Kind.BEGIN;
      case "start":
        stream.expect("transaction");
        modes();
        return Kind.BEGIN;
      case "set":
        return setTransaction();
      case "commit", "end":
        if (verb.isWord("commit") && stream.accept("prepared")) {
          name = stream.string();
          return Kind.COMMIT_PREPARED;
        }
        workOrTransaction();
        chain();
        return Kind.COMMIT;
      case "rollback", "abort":
        return rollback(verb);
      case "savepoint":
        name = stream.name();
        return Kind.SAVEPOINT;
      case "release":
        stream.accept("savepoint");
        name = stream.name();
        return Kind.RELEASE;
      case "prepare":
        stream.expect("transaction");
        name = stream.string();
        return Kind.PREPARE_TRANSACTION;
      default:
        throw stream.unexpected(verb);
    }
  }

  private Kind rollback(Token verb) {
    if (verb.isWord("rollback")) {
      if (stream.accept("prepared")) {
        name = stream.string();
        return Kind.ROLLBACK_PREPARED;
      }
      int start = stream.index();
      workOrTransaction();
      if (stream.accept("to")) {
        stream.accept("savepoint");
        name = stream.name();
        return Kind.ROLLBACK_TO;
      }
      stream.moveTo(start);
    }
    workOrTransaction();
    chain();
    return Kind.ROLLBACK;
  }

  private Kind setTransaction() {
    stream.expect("transaction");
    if (stream.accept("snapshot")) {
      name = stream.string();
      return Kind.SET_TRANSACTION_SNAPSHOT;
    }
    if (stream.atEnd()) {
      throw stream.unexpected();
    }
    modes();
    return Kind.SET_TRANSACTION;
  }

  private void workOrTransaction() {
    if (!stream.accept("work")) {
      stream.accept("transaction");
    }
  }

  private void chain() {
    if (stream.accept("and")) {
      chain = !stream.accept("no");
      stream.expect("chain");
    }
  }

  private void modes() {
    boolean more = !stream.atEnd();
    while (more) {
      mode();
      stream.acceptMark(',');
      more = !stream.atEnd();
    }
  }

  private void mode() {
    Token start = stream.peek();
    if (stream.accept("isolation")) {
      stream.expect("level");
      isolation = level();
    } else if (stream.accept("read", "only")) {
      readOnly = true;
    } else if (stream.accept("read", "write")) {
      readOnly = false;
    } else if (stream.accept("deferrable")) {
      throw stream.unsupported("DEFERRABLE transactions are", start);
    } else {
      stream.expect("not");
      stream.expect("deferrable");
    }
  }

  private IsolationLevel level() {
    if (stream.accept("read", "committed") || stream.accept("read", "uncommitted")) {
      return IsolationLevel.READ_COMMITTED;
    }
    if (stream.accept("repeatable", "read")) {
      return IsolationLevel.REPEATABLE_READ;
    }
    stream.expect("serializable");
    return IsolationLevel.SERIALIZABLE;
  }

  /** The level of a word list such as {@code repeatable read}, as settings spell it. */
  static IsolationLevel level(String text) {
    switch (text) {
      case "read committed", "read uncommitted":
        return IsolationLevel.READ_COMMITTED;
      case "repeatable read":
        return IsolationLevel.REPEATABLE_READ;
      case "serializable":
        return IsolationLevel.SERIALIZABLE;
      default:
        throw new PgException(
            SqlState.INVALID_PARAMETER_VALUE,
            "invalid value for parameter \"transaction_isolation\": \"" + text + "\"");
    }
  }
}
