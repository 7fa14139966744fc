package dev.millrace.api;

import java.util.List;
import java.util.Map;

/** A part of the service that has something to say on {@code /status}. */
public interface StatusContributor {

  /** Numbers by name, such as {@code subscriptions}. */
  Map<String, Number> counts();

  /** What is wrong now, a sentence each; empty when nothing is. */
  List<String> problems();
}
