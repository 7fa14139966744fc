package dev.millrace.publisher.decoding.differential;

import dev.millrace.publisher.decoding.differential.RandomTable.Column;
import dev.millrace.publisher.decoding.differential.RandomTable.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random changes of publications and tables. */
final class RandomDefinitions {

  /** A change of a table: its statements, and what to do should the last of them fail. */
  record Ddl(List<String> statements, Runnable undo) {}

  private static final String[] CHANGED = {"pall", "pfil", "pfil", "pins", "pins", "plist"};
  private static final String[] PUBLISH = {
    "insert", "insert, update", "insert, delete, truncate", "insert, update, delete, truncate"
  };
  private static final String[] FILTERS = {
    "id % 2 = 0", "n > 50", "v = 'b' OR n < 10", "n IS NULL", "v LIKE 'a%'", "id < 100", "id > n"
  };

  private final Random random;
  private final List<RandomTable> tables;
  private int names;

  RandomDefinitions(Random random, List<RandomTable> tables) {
    this.random = random;
    this.tables = tables;
  }

  /** A change of a publication, which may be refused. */
  String publication() {
    String name = CHANGED[random.nextInt(CHANGED.length)];
    boolean lists = name.equals("plist");
    String alter = "ALTER PUBLICATION " + name;
    switch (random.nextInt(10)) {
      case 0, 1:
        return alter + " ADD TABLE " + member(any(), lists);
      case 2, 3:
        return alter + " DROP TABLE " + any().name();
      case 4:
        String publish = PUBLISH[random.nextInt(PUBLISH.length)];
        return alter + " SET (publish = '" + publish + "')";
      case 5:
        return name.equals("pins")
            ? alter + (random.nextBoolean() ? " ADD" : " DROP") + " TABLES IN SCHEMA public"
            : alter + " SET (publish_generated_columns = " + (lists ? "none" : "stored") + ")";
      case 6:
        return name.equals("pins") && random.nextBoolean()
            ? "DROP PUBLICATION pins"
            : "CREATE PUBLICATION pins FOR TABLE " + member(any(), false);
      default:
        List<String> members = new ArrayList<>();
        for (RandomTable table : tables) {
          if (random.nextInt(100) < 70) {
            members.add(member(table, lists));
          }
        }
        return members.isEmpty()
            ? publication()
            : alter + " SET TABLE " + String.join(", ", members);
    }
  }

  private RandomTable any() {
    return tables.get(random.nextInt(tables.size()));
  }

  private String member(RandomTable table, boolean lists) {
    StringBuilder member = new StringBuilder(table.name());
    if (lists) {
      List<String> columns = new ArrayList<>(List.of("id"));
      if (random.nextBoolean()) {
        columns.add("v");
      }
      table.extra().stream()
          .filter(c -> random.nextInt(3) == 0)
          .forEach(c -> columns.add(c.name()));
      member.append(" (").append(String.join(", ", columns)).append(")");
    }
    if (random.nextInt(100) < 50) {
      member.append(" WHERE (").append(FILTERS[random.nextInt(FILTERS.length)]).append(")");
    }
    return member.toString();
  }

  /** A change of a table that nobody uses. */
  Ddl table(RandomTable table) {
    String alter = "ALTER TABLE " + table.name() + " ";
    List<Column> extra = table.extra();
    boolean tied = table.name().startsWith("pa") || table.name().startsWith("ch");
    switch (random.nextInt(10)) {
      case 0, 1, 2:
        return addColumn(table, alter);
      case 3:
        if (!extra.isEmpty()) {
          int index = random.nextInt(extra.size());
          Column column = extra.remove(index);
          return new Ddl(
              List.of(alter + "DROP COLUMN " + column.name()), () -> extra.add(index, column));
        }
        return addColumn(table, alter);
      case 4:
        if (!extra.isEmpty()) {
          int index = random.nextInt(extra.size());
          Column column = extra.get(index);
          String name = "r" + names++;
          extra.set(index, new Column(name, column.type()));
          return new Ddl(
              List.of(alter + "RENAME COLUMN " + column.name() + " TO " + name),
              () -> extra.set(index, column));
        }
        return addColumn(table, alter);
      case 5:
        String old = table.name();
        table.name(old.split("_")[0] + "_" + names++);
        return new Ddl(List.of(alter + "RENAME TO " + table.name()), () -> table.name(old));
      case 6:
        if (!tied) {
          return new Ddl(List.of("DROP TABLE " + table.name(), table.create()), () -> {});
        }
        return new Ddl(List.of("TRUNCATE " + table.name() + " CASCADE"), () -> {});
      default:
        return new Ddl(List.of(alter + "REPLICA IDENTITY " + identity(table)), () -> {});
    }
  }

  private String identity(RandomTable table) {
    switch (random.nextInt(5)) {
      case 0:
        return "NOTHING";
      case 1, 2:
        return "FULL";
      case 3:
        return table.name().startsWith("ix") ? "USING INDEX ix_id" : "DEFAULT";
      default:
        return "DEFAULT";
    }
  }

  private Ddl addColumn(RandomTable table, String alter) {
    Type type = Type.values()[random.nextInt(Type.values().length)];
    Column column = new Column("e" + names++, type);
    String add = alter + "ADD COLUMN " + column.name() + " " + type.sql;
    if (random.nextInt(100) < 60) {
      add += " DEFAULT " + type.given(random);
    }
    table.extra().add(column);
    return new Ddl(List.of(add), () -> table.extra().remove(column));
  }
}
