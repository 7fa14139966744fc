package dev.millrace.publisher.decoding.plugins;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.replication.PublicationNames;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a consumer asks of pgoutput.
 *
 * @param publicationNames in the order asked for, each once
 * @param messages whether logical messages are sent
 * @param binary whether values of types with a binary form are sent in it
 * @param streaming whether open transactions are sent
 * @param twoPhase whether the slot is to decode at PREPARE from now on
 * @param localOnly whether transactions that came from another origin are left out (origin = none)
 */
record PgOutputOptions(
    int protoVersion,
    List<String> publicationNames,
    boolean messages,
    boolean binary,
    Streaming streaming,
    boolean twoPhase,
    boolean localOnly) {

  /** How open transactions are sent. */
  enum Streaming {
    OFF,
    ON,
    /** As ON, and aborts carry LSN and time. */
    PARALLEL
  }

  private static final int MIN_PROTO_VERSION = 1;
  private static final int MAX_PROTO_VERSION = 4;
  private static final int STREAM_PROTO_VERSION = 2;
  private static final int TWO_PHASE_PROTO_VERSION = 3;
  private static final int PARALLEL_PROTO_VERSION = 4;
  private static final long MAX_UINT32 = 0xFFFFFFFFL;

  /** The options as they are being read; checked against each other when all are known. */
  private static final class Builder {
    Long protoVersion;
    List<String> publicationNames;
    boolean messages;
    boolean binary;
    Streaming streaming = Streaming.OFF;
    boolean twoPhase;
    String origin = "any";
  }

  static PgOutputOptions parse(Map<String, String> options) {
    Builder builder = new Builder();
    options.forEach((name, value) -> read(builder, name, value));
    check(builder);
    return new PgOutputOptions(
        builder.protoVersion.intValue(),
        builder.publicationNames.stream().distinct().toList(),
        builder.messages,
        builder.binary,
        builder.streaming,
        builder.twoPhase,
        builder.origin.equals("none"));
  }

  private static void read(Builder builder, String name, String value) {
    switch (name) {
      case "proto_version":
        builder.protoVersion = protoVersion(value);
        break;
      case "publication_names":
        builder.publicationNames = PublicationNames.parse(value == null ? "" : value);
        break;
      case "binary":
        builder.binary = bool(name, value);
        break;
      case "messages":
        builder.messages = bool(name, value);
        break;
      case "two_phase":
        builder.twoPhase = bool(name, value);
        break;
      case "streaming":
        builder.streaming = streaming(value);
        break;
      case "origin":
        builder.origin = origin(value);
        break;
      default:
        throw new PgException(SqlState.INTERNAL_ERROR, "unrecognized pgoutput option: " + name);
    }
  }

  private static long protoVersion(String value) {
    if (value == null || !value.strip().matches("[+-]?[0-9]{1,30}")) {
      throw invalid("invalid proto_version");
    }
    java.math.BigInteger number = new java.math.BigInteger(value.strip());
    if (number.signum() < 0 || number.bitLength() > 32) {
      throw invalid("proto_version \"" + value + "\" out of range");
    }
    return number.longValue() & MAX_UINT32;
  }

  private static boolean bool(String name, String value) {
    Boolean parsed = parseBool(value);
    if (parsed == null) {
      throw new PgException(SqlState.SYNTAX_ERROR, name + " requires a Boolean value");
    }
    return parsed;
  }

  /** Null when it is none of the words an option takes; an option without a value is on. */
  private static Boolean parseBool(String value) {
    if (value == null) {
      return true;
    }
    switch (value.toLowerCase(Locale.ROOT)) {
      case "true", "on", "1":
        return true;
      case "false", "off", "0":
        return false;
      default:
        return null;
    }
  }

  private static Streaming streaming(String value) {
    if (value != null && value.equalsIgnoreCase("parallel")) {
      return Streaming.PARALLEL;
    }
    Boolean parsed = parseBool(value);
    if (parsed == null) {
      throw new PgException(
          SqlState.SYNTAX_ERROR, "streaming requires a Boolean value or \"parallel\"");
    }
    return parsed ? Streaming.ON : Streaming.OFF;
  }

  private static String origin(String value) {
    String lower = String.valueOf(value).toLowerCase(Locale.ROOT);
    if (!lower.equals("any") && !lower.equals("none")) {
      throw invalid("unrecognized origin value: \"" + value + "\"");
    }
    return lower;
  }

  private static void check(Builder builder) {
    if (builder.protoVersion == null) {
      throw invalid("option \"proto_version\" missing");
    }
    if (builder.publicationNames == null) {
      throw invalid("option \"publication_names\" missing");
    }
    long version = builder.protoVersion;
    if (version > MAX_PROTO_VERSION) {
      throw unsupported(
          "client sent proto_version="
              + (int) version
              + " but server only supports protocol "
              + MAX_PROTO_VERSION
              + " or lower");
    }
    if (version < MIN_PROTO_VERSION) {
      throw unsupported(
          "client sent proto_version="
              + version
              + " but server only supports protocol "
              + MIN_PROTO_VERSION
              + " or higher");
    }
    if (builder.streaming == Streaming.ON) {
      require(version, "streaming", STREAM_PROTO_VERSION);
    } else if (builder.streaming == Streaming.PARALLEL) {
      require(version, "parallel streaming", PARALLEL_PROTO_VERSION);
    }
    if (builder.twoPhase) {
      require(version, "two-phase commit", TWO_PHASE_PROTO_VERSION);
    }
  }

  private static void require(long version, String feature, int needed) {
    if (version < needed) {
      throw invalid(
          "requested proto_version="
              + version
              + " does not support "
              + feature
              + ", need "
              + needed
              + " or higher");
    }
  }

  private static PgException invalid(String message) {
    return new PgException(SqlState.INVALID_PARAMETER_VALUE, message);
  }

  private static PgException unsupported(String message) {
    return new PgException(SqlState.FEATURE_NOT_SUPPORTED, message);
  }
}
