package dev.millrace.api;

/** The request itself is malformed: 400. */
public class BadRequestException extends RuntimeException {

  public BadRequestException(String message) {
    super(message);
  }
}
