package dev.millrace.api;

import java.util.List;
import java.util.Map;

/** How many sessions clients hold open. */
record SessionStatus(SqlSessions sessions) implements StatusContributor {

  @Override
  public Map<String, Number> counts() {
    return Map.of("sessions", sessions.count());
  }

  @Override
  public List<String> problems() {
    return List.of();
  }
}
