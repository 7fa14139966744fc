package dev.millrace.publisher.api;

import dev.millrace.sql.ResultColumn;
import dev.millrace.sql.SystemFunction;
import dev.millrace.sql.SystemFunction.Body;
import dev.millrace.sql.SystemFunction.Parameter;
import java.util.ArrayList;
import java.util.List;

/** Writes down a function's signature step by step. */
final class FunctionDefinition {

  private final String name;
  private final List<Parameter> parameters = new ArrayList<>();

  private FunctionDefinition(String name) {
    this.name = name;
  }

  static FunctionDefinition function(String name) {
    return new FunctionDefinition(name);
  }

  FunctionDefinition takes(String parameter, String type) {
    parameters.add(new Parameter(parameter, type, true, null, false));
    return this;
  }

  FunctionDefinition takes(String parameter, String type, Object defaultValue) {
    parameters.add(new Parameter(parameter, type, false, defaultValue, false));
    return this;
  }

  FunctionDefinition takesRest(String parameter, String type) {
    parameters.add(new Parameter(parameter, type, false, new String[0], true));
    return this;
  }

  /** A function that gives one value. */
  SystemFunction gives(String type, Body body) {
    return new SystemFunction(
        name, List.of(new ResultColumn(name, type)), true, List.copyOf(parameters), body);
  }

  /** A function that gives rows; {@code columns} as {@code name type, ..}. */
  SystemFunction givesRows(String columns, Body body) {
    return new SystemFunction(
        name, ReplicationViews.columns(columns), false, List.copyOf(parameters), body);
  }

  static List<Object[]> row(Object... values) {
    return List.<Object[]>of(values);
  }
}
