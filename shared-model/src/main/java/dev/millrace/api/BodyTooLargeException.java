package dev.millrace.api;

import java.io.IOException;

/** The request's body is longer than this service takes: 413. */
class BodyTooLargeException extends IOException {

  BodyTooLargeException(long limitBytes) {
    super("the request body is longer than " + limitBytes + " bytes");
  }
}
