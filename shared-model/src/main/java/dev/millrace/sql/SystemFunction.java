package dev.millrace.sql;

import java.util.List;

/**
 * A pg_ function, callable as {@code SELECT f(..)} and {@code SELECT .. FROM f(..)}, with
 * positional or named arguments and defaults.
 *
 * @param columns the result's columns; one column named as the function for a scalar
 * @param parameters in PostgreSQL's order
 * @param body called once per execution on the query's thread with one value per parameter
 *     (defaults filled in)
 */
public record SystemFunction(
    String name,
    List<ResultColumn> columns,
    boolean scalar,
    List<Parameter> parameters,
    Body body) {

  /**
   * {@code variadic} may be true for the last parameter only; its value is then a {@code String[]}.
   * Beside PostgreSQL's types there is {@code any}, H2's value as it came, and {@code text or
   * bytea}, a {@code byte[]} either way.
   */
  public record Parameter(
      String name, String type, boolean required, Object defaultValue, boolean variadic) {}

  /** The function itself; throws {@link dev.millrace.model.PgException}. */
  @FunctionalInterface
  public interface Body {
    List<Object[]> call(SqlSession caller, Object[] arguments);
  }
}
