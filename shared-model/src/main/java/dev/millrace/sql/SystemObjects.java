package dev.millrace.sql;

import java.util.List;

/**
 * The pg_ views and functions that one part of a service contributes; the service collects those of
 * all parts and installs them at its start.
 */
public record SystemObjects(List<SystemView> views, List<SystemFunction> functions) {

  public static SystemObjects views(List<SystemView> views) {
    return new SystemObjects(views, List.of());
  }
}
