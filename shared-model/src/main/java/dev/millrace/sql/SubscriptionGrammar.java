package dev.millrace.sql;

import dev.millrace.sql.ParsedStatement.AlterSubscription;
import dev.millrace.sql.ParsedStatement.AlterSubscription.Action;
import dev.millrace.sql.ParsedStatement.CreateSubscription;
import dev.millrace.sql.ParsedStatement.DropSubscription;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** CREATE, ALTER and DROP SUBSCRIPTION as in PostgreSQL 18. */
final class SubscriptionGrammar {

  private final TokenStream stream;

  SubscriptionGrammar(TokenStream stream) {
    this.stream = stream;
  }

  /** The stream stands at SUBSCRIPTION, after {@code verb}. */
  ParsedStatement parse(String verb) {
    stream.expect("subscription");
    ParsedStatement statement =
        switch (verb) {
          case "create" -> create();
          case "alter" -> alter();
          default -> drop();
        };
    stream.expectEnd();
    return statement;
  }

  private CreateSubscription create() {
    String name = stream.name();
    if (stream.isWord("server")) {
      throw stream.unsupported("CREATE SUBSCRIPTION .. SERVER is", stream.peek());
    }
    stream.expect("connection");
    String connection = stream.string();
    stream.expect("publication");
    List<String> publications = publicationNames();
    return new CreateSubscription(
        stream.original(), name, connection, publications, OptionList.with(stream));
  }

  private AlterSubscription alter() {
    String name = stream.name();
    Token action = stream.peek();
    if (stream.accept("connection")) {
      return altered(name, Action.CONNECTION, stream.string(), null, Map.of(), null);
    }
    if (stream.accept("set")) {
      return stream.accept("publication")
          ? publications(name, Action.SET_PUBLICATION)
          : altered(name, Action.SET_OPTIONS, null, null, OptionList.parse(stream), null);
    }
    if (stream.accept("add")) {
      stream.expect("publication");
      return publications(name, Action.ADD_PUBLICATION);
    }
    if (stream.accept("drop")) {
      stream.expect("publication");
      return publications(name, Action.DROP_PUBLICATION);
    }
    if (stream.accept("refresh")) {
      if (stream.isWord("sequences")) {
        throw stream.unsupported("REFRESH SEQUENCES is", stream.peek());
      }
      stream.expect("publication");
      return altered(name, Action.REFRESH_PUBLICATION, null, null, OptionList.with(stream), null);
    }
    if (stream.accept("enable")) {
      return altered(name, Action.ENABLE, null, null, Map.of(), null);
    }
    if (stream.accept("disable")) {
      return altered(name, Action.DISABLE, null, null, Map.of(), null);
    }
    if (stream.accept("skip")) {
      return altered(name, Action.SKIP, null, null, OptionList.parse(stream), null);
    }
    if (stream.accept("rename")) {
      stream.expect("to");
      return altered(name, Action.RENAME, null, null, Map.of(), stream.name());
    }
    if (stream.accept("owner")) {
      stream.expect("to");
      return altered(name, Action.OWNER, null, null, Map.of(), PublicationGrammar.owner(stream));
    }
    if (stream.isWord("server")) {
      throw stream.unsupported("ALTER SUBSCRIPTION .. SERVER is", action);
    }
    throw stream.unexpected(action);
  }

  private AlterSubscription publications(String name, Action action) {
    List<String> publications = publicationNames();
    return altered(name, action, null, publications, OptionList.with(stream), null);
  }

  private AlterSubscription altered(
      String name,
      Action action,
      String connection,
      List<String> publications,
      Map<String, String> options,
      String newName) {
    return new AlterSubscription(
        stream.original(), name, action, connection, publications, options, newName);
  }

  /** Publication names may be any word here, as column labels may. */
  private List<String> publicationNames() {
    List<String> names = new ArrayList<>();
    do {
      names.add(stream.label());
    } while (stream.acceptMark(','));
    return names;
  }

  private DropSubscription drop() {
    boolean ifExists = stream.accept("if", "exists");
    String name = stream.name();
    if (!stream.accept("cascade")) {
      stream.accept("restrict");
    }
    return new DropSubscription(stream.original(), name, ifExists);
  }
}
