package dev.millrace.api;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Refuses to start on an address that others can reach: there are no users yet, so whoever reaches
 * the port owns the data. {@code millrace.security.allow-anonymous=true} takes the responsibility.
 */
final class LoopbackGuard {

  private LoopbackGuard() {}

  static void check(String address, boolean allowAnonymous) {
    if (!allowAnonymous && !isLoopback(address)) {
      throw new OpenToOthersException(address);
    }
  }

  private static boolean isLoopback(String address) {
    if (address == null || address.isBlank()) {
      return false;
    }
    try {
      return InetAddress.getByName(address.trim()).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  /** The start-up failure; its message says what to do. */
  static final class OpenToOthersException extends IllegalStateException {
    OpenToOthersException(String address) {
      super(
          "server.address is "
              + (address == null || address.isBlank() ? "not set" : "\"" + address.trim() + "\"")
              + ", which others can reach, and this service has no log-in yet; use a loopback"
              + " address, or allow everybody everything with"
              + " millrace.security.allow-anonymous=true");
    }
  }
}
