package dev.millrace.api;

import org.springframework.http.converter.HttpMessageNotReadableException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.exc.ValueInstantiationException;

/** What is wrong with a request body, in words of the request rather than of Java. */
final class UnreadableBody {

  private UnreadableBody() {}

  static String describe(HttpMessageNotReadableException error) {
    Throwable cause = error.getCause();
    if (cause instanceof UnrecognizedPropertyException unknown) {
      return "unknown member \"" + unknown.getPropertyName() + "\"" + at(unknown);
    }
    if (cause instanceof StreamReadException malformed) {
      return "malformed JSON: " + malformed.getOriginalMessage() + at(malformed);
    }
    if (cause instanceof ValueInstantiationException refused
        && refused.getCause() instanceof BadRequestException ours) {
      return ours.getMessage();
    }
    if (cause instanceof DatabindException wrong) {
      String path = path(wrong);
      return path.isEmpty()
          ? "the request body does not have the expected form" + at(wrong)
          : "member \"" + path + "\" has a value of the wrong type" + at(wrong);
    }
    return cause == null ? "a request body is required" : "the request body cannot be read";
  }

  private static String at(JacksonException error) {
    return error.getLocation() == null || error.getLocation().getLineNr() < 0
        ? ""
        : " at line "
            + error.getLocation().getLineNr()
            + ", column "
            + error.getLocation().getColumnNr();
  }

  private static String path(JacksonException error) {
    StringBuilder path = new StringBuilder();
    for (JacksonException.Reference step : error.getPath()) {
      if (step.getPropertyName() == null) {
        path.append('[').append(step.getIndex()).append(']');
      } else {
        path.append(path.isEmpty() ? "" : ".").append(step.getPropertyName());
      }
    }
    return path.toString();
  }
}
