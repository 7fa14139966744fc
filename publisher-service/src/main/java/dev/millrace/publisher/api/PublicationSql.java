package dev.millrace.publisher.api;

import dev.millrace.api.BadRequestException;
import dev.millrace.model.Identifiers;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.publisher.api.PublicationBodies.Alter;
import dev.millrace.publisher.api.PublicationBodies.Create;
import dev.millrace.publisher.api.PublicationBodies.Table;
import dev.millrace.sql.SqlParser;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The publication commands that bodies stand for. Every name is quoted and every value a literal,
 * so nothing in a body can become anything else in the statement; a row filter is SQL, but cannot
 * leave its brackets.
 */
final class PublicationSql {

  private static final int MAX_NAME_BYTES = 63;

  private PublicationSql() {}

  static String create(Create body) {
    List<String> objects = new ArrayList<>();
    addTables(objects, body.tables(), "tables");
    addSchemas(objects, body.tablesInSchema(), "tables_in_schema");
    boolean allTables = Boolean.TRUE.equals(body.allTables());
    if (allTables && !objects.isEmpty()) {
      throw new BadRequestException("all_tables leaves no room for tables or tables_in_schema");
    }
    String forObjects =
        allTables ? " FOR ALL TABLES" : objects.isEmpty() ? "" : " FOR " + join(objects);
    List<String> options =
        options(body.publish(), body.publishViaPartitionRoot(), body.publishGeneratedColumns());
    String with = options.isEmpty() ? "" : " WITH (" + join(options) + ")";
    return "CREATE PUBLICATION " + name(body.name(), "name") + forObjects + with;
  }

  /** One statement after the other; the rename last, so that all use the old name. */
  static String alter(String publication, Alter body) {
    String alter = "ALTER PUBLICATION " + name(publication, "name") + ' ';
    List<String> statements = new ArrayList<>();
    List<String> dropped = new ArrayList<>();
    addTables(dropped, body.dropTables(), "drop_tables");
    addSchemas(dropped, body.dropTablesInSchema(), "drop_tables_in_schema");
    addStatement(statements, alter + "DROP ", dropped);
    List<String> set = new ArrayList<>();
    addTables(set, body.setTables(), "set_tables");
    if (body.setTables() != null && set.isEmpty()) {
      throw new BadRequestException("set_tables must name a table");
    }
    addStatement(statements, alter + "SET ", set);
    List<String> added = new ArrayList<>();
    addTables(added, body.addTables(), "add_tables");
    addSchemas(added, body.addTablesInSchema(), "add_tables_in_schema");
    addStatement(statements, alter + "ADD ", added);
    List<String> options =
        options(body.publish(), body.publishViaPartitionRoot(), body.publishGeneratedColumns());
    if (!options.isEmpty()) {
      statements.add(alter + "SET (" + join(options) + ")");
    }
    if (body.owner() != null) {
      statements.add(alter + "OWNER TO " + name(body.owner(), "owner"));
    }
    if (body.renameTo() != null) {
      statements.add(alter + "RENAME TO " + name(body.renameTo(), "rename_to"));
    }
    return String.join("; ", statements);
  }

  static String drop(String publication) {
    return "DROP PUBLICATION " + name(publication, "name");
  }

  private static String join(List<String> parts) {
    return String.join(", ", parts);
  }

  private static void addStatement(List<String> statements, String start, List<String> objects) {
    if (!objects.isEmpty()) {
      statements.add(start + join(objects));
    }
  }

  private static void addTables(List<String> objects, List<Table> tables, String field) {
    if (tables == null) {
      return;
    }
    for (Table table : tables) {
      if (table == null) {
        throw new BadRequestException(field + " must not hold null");
      }
      String schema = table.schema() == null ? "public" : table.schema();
      objects.add(
          "TABLE "
              + name(schema, field + ".schema")
              + '.'
              + name(table.name(), field + ".name")
              + columnList(table.columns(), field + ".columns")
              + rowFilter(table.where(), field + ".where"));
    }
  }

  private static String columnList(List<String> columns, String field) {
    if (columns == null) {
      return "";
    }
    if (columns.isEmpty()) {
      throw new BadRequestException(field + " must name a column");
    }
    return columns.stream()
        .map(column -> name(column, field))
        .collect(Collectors.joining(", ", " (", ")"));
  }

  /** An expression, and nothing behind it: its brackets are closed inside it. */
  private static String rowFilter(String where, String field) {
    if (where == null) {
      return "";
    }
    if (!SqlParser.isExpression(where)) {
      throw new PgException(SqlState.SYNTAX_ERROR, field + " is not an expression");
    }
    // A comment in it ends with the line.
    return " WHERE (" + where + "\n)";
  }

  private static void addSchemas(List<String> objects, List<String> schemas, String field) {
    if (schemas != null) {
      schemas.forEach(schema -> objects.add("TABLES IN SCHEMA " + name(schema, field)));
    }
  }

  private static List<String> options(
      List<String> publish, Boolean viaPartitionRoot, String generatedColumns) {
    List<String> options = new ArrayList<>();
    if (publish != null) {
      String operations =
          publish.stream()
              .map(operation -> name(operation, "publish"))
              .collect(Collectors.joining(", "));
      options.add("publish = " + Identifiers.literal(operations));
    }
    if (viaPartitionRoot != null) {
      options.add("publish_via_partition_root = " + viaPartitionRoot);
    }
    if (generatedColumns != null) {
      options.add("publish_generated_columns = " + Identifiers.literal(generatedColumns));
    }
    return options;
  }

  private static String name(String name, String field) {
    if (name == null || name.isEmpty()) {
      throw new BadRequestException(field + " is required");
    }
    if (name.indexOf('\0') >= 0) {
      throw new BadRequestException(field + " must not hold the character with code 0");
    }
    if (name.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
      // SQL would cut it, and then speak of another object than the body does.
      throw new PgException(SqlState.NAME_TOO_LONG, field + " is too long")
          .withDetail("A name has at most " + MAX_NAME_BYTES + " bytes.");
    }
    return Identifiers.alwaysQuote(name);
  }
}
