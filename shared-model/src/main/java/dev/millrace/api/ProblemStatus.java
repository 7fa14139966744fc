package dev.millrace.api;

import dev.millrace.model.SqlState;
import org.springframework.http.HttpStatus;

/** Which HTTP status an SQLSTATE becomes (api.md, "Decided once"). */
final class ProblemStatus {

  private ProblemStatus() {}

  /** The status of a typed call that failed with that SQLSTATE. */
  static HttpStatus ofTypedCall(String sqlState) {
    switch (sqlState) {
      case SqlState.DUPLICATE_OBJECT:
      case SqlState.DUPLICATE_SCHEMA:
      case SqlState.DUPLICATE_TABLE:
      case SqlState.OBJECT_IN_USE:
      case SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE:
        return HttpStatus.CONFLICT;
      case SqlState.UNDEFINED_OBJECT:
      case SqlState.UNDEFINED_TABLE:
      case SqlState.INVALID_CATALOG_NAME:
        return HttpStatus.NOT_FOUND;
      case SqlState.QUERY_CANCELED:
        return HttpStatus.GATEWAY_TIMEOUT;
      default:
        return ofClass(sqlState.substring(0, 2));
    }
  }

  private static HttpStatus ofClass(String sqlStateClass) {
    switch (sqlStateClass) {
      case "08":
      case "57":
        return HttpStatus.SERVICE_UNAVAILABLE;
      case "53":
        return HttpStatus.TOO_MANY_REQUESTS;
      case "XX":
        return HttpStatus.INTERNAL_SERVER_ERROR;
      default:
        return HttpStatus.UNPROCESSABLE_CONTENT;
    }
  }

  /** The SQLSTATE told with an HTTP error that no SQL caused. */
  static String sqlStateOf(int httpStatus) {
    switch (httpStatus) {
      case 400:
        return SqlState.INVALID_PARAMETER_VALUE;
      case 401:
        return "28000";
      case 403:
        return SqlState.INSUFFICIENT_PRIVILEGE;
      case 404:
        return SqlState.UNDEFINED_OBJECT;
      case 413:
        return SqlState.PROGRAM_LIMIT_EXCEEDED;
      case 503:
        return SqlState.CANNOT_CONNECT_NOW;
      default:
        return httpStatus < 500 ? SqlState.FEATURE_NOT_SUPPORTED : SqlState.INTERNAL_ERROR;
    }
  }
}
