package dev.millrace.api;

import dev.millrace.model.PgException;
import io.swagger.v3.oas.annotations.Hidden;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Answers what fails outside the controllers (a filter, the container) with a problem document too;
 * it takes the place of Spring Boot's BasicErrorController.
 */
@RestController
@Hidden
class ProblemErrorController implements ErrorController {

  @RequestMapping("${spring.web.error.path:${server.error.path:/error}}")
  ResponseEntity<ProblemDetail> error(HttpServletRequest request) {
    ProblemDetail problem = problem(request);
    return ResponseEntity.status(problem.getStatus())
        .contentType(MediaType.APPLICATION_PROBLEM_JSON)
        .body(problem);
  }

  private static ProblemDetail problem(HttpServletRequest request) {
    for (Throwable cause = thrown(request); cause != null; cause = cause.getCause()) {
      if (cause instanceof PgException error) {
        return Problems.of(error, ProblemStatus.ofTypedCall(error.sqlState()));
      }
      if (cause instanceof BodyTooLargeException) {
        return Problems.of(HttpStatus.CONTENT_TOO_LARGE, cause.getMessage());
      }
    }
    Object code = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
    HttpStatus status = code instanceof Integer number ? HttpStatus.resolve(number) : null;
    if (status == null) {
      status = HttpStatus.INTERNAL_SERVER_ERROR;
    }
    Object message = request.getAttribute(RequestDispatcher.ERROR_MESSAGE);
    String detail =
        message == null || message.toString().isEmpty()
            ? status.getReasonPhrase()
            : message.toString();
    return Problems.of(status, detail);
  }

  private static Throwable thrown(HttpServletRequest request) {
    return (Throwable) request.getAttribute(RequestDispatcher.ERROR_EXCEPTION);
  }
}
