package dev.millrace.api;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.springframework.http.HttpStatus;

/**
 * Answers requests that never reach a servlet (a malformed request line, an illegal character in
 * the path) with a problem document instead of Tomcat's page.
 */
public class ProblemErrorValve extends ErrorReportValve {

  @Override
  protected void report(Request request, Response response, Throwable throwable) {
    int code = response.getStatus();
    if (code < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
      return;
    }
    HttpStatus status = HttpStatus.resolve(code);
    String title = status == null ? "Error" : status.getReasonPhrase();
    String body =
        "{\"type\":\"about:blank\",\"title\":\"%s\",\"status\":%d,\"detail\":\"%s\",\"sqlstate\":\"%s\"}"
            .formatted(
                title,
                code,
                code == 400 ? "the request line or a header is malformed" : title,
                ProblemStatus.sqlStateOf(code));
    try {
      response.setContentType("application/problem+json");
      response.setCharacterEncoding(StandardCharsets.UTF_8.name());
      response.getReporter().write(body);
      response.finishResponse();
    } catch (IOException e) {
      container.getLogger().debug("the client did not take the error report", e);
    }
  }
}
