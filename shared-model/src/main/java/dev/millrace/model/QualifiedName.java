package dev.millrace.model;

/** A schema-qualified name, both parts exact (already folded or taken from quotes). */
public record QualifiedName(String schema, String name) implements Comparable<QualifiedName> {

  /** The two parts quoted where SQL needs it, such as {@code public."Mixed Case"}. */
  public String quoted() {
    return Identifiers.quote(schema) + '.' + Identifiers.quote(name);
  }

  @Override
  public int compareTo(QualifiedName other) {
    int bySchema = schema.compareTo(other.schema);
    return bySchema != 0 ? bySchema : name.compareTo(other.name);
  }

  /** The unquoted form of log lines and error messages, such as {@code public.tbl_1}. */
  @Override
  public String toString() {
    return schema + '.' + name;
  }
}
