package dev.millrace.model;

import java.util.List;

/**
 * An index of one relation version.
 *
 * @param attnums the columns' attribute numbers in index order
 */
public record IndexDefinition(
    int oid, String name, boolean unique, boolean primary, List<Integer> attnums) {

  public IndexDefinition {
    attnums = List.copyOf(attnums);
  }
}
