package dev.millrace.api;

import dev.millrace.model.PgException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Turns whatever a controller throws into a problem document. */
@RestControllerAdvice
@Order(Ordered.HIGHEST_PRECEDENCE)
class ProblemAdvice extends ResponseEntityExceptionHandler {

  private static final Logger log = LoggerFactory.getLogger(ProblemAdvice.class);

  @ExceptionHandler
  ResponseEntity<Object> typedCall(PgException error) {
    HttpStatus status = ProblemStatus.ofTypedCall(error.sqlState());
    if (status == HttpStatus.INTERNAL_SERVER_ERROR) {
      log.error("a call failed", error);
    }
    return answer(Problems.of(error, status), HttpHeaders.EMPTY);
  }

  @ExceptionHandler
  ResponseEntity<Object> sqlCall(SqlCallException failure) {
    if (failure.error().sqlState().startsWith("XX")) {
      log.error("a statement failed", failure.error());
    }
    return answer(
        Problems.of(failure.error(), HttpStatus.UNPROCESSABLE_CONTENT), HttpHeaders.EMPTY);
  }

  @ExceptionHandler
  ResponseEntity<Object> badRequest(BadRequestException error) {
    return answer(Problems.of(HttpStatus.BAD_REQUEST, error.getMessage()), HttpHeaders.EMPTY);
  }

  @ExceptionHandler
  ResponseEntity<Object> tooLarge(BodyTooLargeException error) {
    return answer(Problems.of(HttpStatus.CONTENT_TOO_LARGE, error.getMessage()), HttpHeaders.EMPTY);
  }

  @ExceptionHandler({RuntimeException.class, Error.class})
  ResponseEntity<Object> anythingElse(Throwable error) {
    log.error("a call failed unexpectedly", error);
    return answer(
        Problems.of(PgException.unexpected(error), HttpStatus.INTERNAL_SERVER_ERROR),
        HttpHeaders.EMPTY);
  }

  /** Says what is wrong with the JSON, without the class names Jackson adds. */
  @Override
  protected ResponseEntity<Object> handleHttpMessageNotReadable(
      HttpMessageNotReadableException error,
      HttpHeaders headers,
      HttpStatusCode status,
      WebRequest request) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof BodyTooLargeException tooLarge) {
        return tooLarge(tooLarge);
      }
    }
    return answer(Problems.of(HttpStatus.BAD_REQUEST, UnreadableBody.describe(error)), headers);
  }

  @Override
  protected ResponseEntity<Object> handleExceptionInternal(
      Exception error,
      Object body,
      HttpHeaders headers,
      HttpStatusCode status,
      WebRequest request) {
    ResponseEntity<Object> answer =
        super.handleExceptionInternal(error, body, headers, status, request);
    if (answer == null || !(answer.getBody() instanceof ProblemDetail problem)) {
      return answer;
    }
    Problems.complete(problem);
    return answer(problem, answer.getHeaders());
  }

  private static ResponseEntity<Object> answer(ProblemDetail problem, HttpHeaders headers) {
    return ResponseEntity.status(problem.getStatus())
        .headers(headers)
        .contentType(MediaType.APPLICATION_PROBLEM_JSON)
        .body(problem);
  }
}
