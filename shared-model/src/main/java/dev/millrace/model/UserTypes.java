package dev.millrace.model;

/** The enums and domains of a node, as one statement sees them. */
@FunctionalInterface
public interface UserTypes {

  /** A node without any. */
  UserTypes NONE = name -> null;

  /** Null when there is no such type. */
  TypeDefinition find(QualifiedName name);
}
