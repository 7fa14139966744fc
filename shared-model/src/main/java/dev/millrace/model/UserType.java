package dev.millrace.model;

/**
 * What a column has to say of its type when that is none of PostgreSQL's own.
 *
 * @param shown as format_type shows it without modifier, such as {@code mood}, {@code "S".mood},
 *     {@code mood[]}
 * @param announced schema and name that a Type message carries: for a domain those of the type at
 *     its bottom
 * @param valueOid the built-in type whose text form the values have; text for an enum
 * @param valueModifier the modifier that goes with it, -1 for none
 */
public record UserType(String shown, QualifiedName announced, int valueOid, int valueModifier) {}
