package dev.millrace.api;

/** The version this build calls itself; {@code development} outside a jar. */
final class ServiceVersion {

  private ServiceVersion() {}

  static String text() {
    String version = ServiceVersion.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }
}
