package dev.millrace.model;

/** inet, cidr and hardware addresses in PostgreSQL's binary form. */
final class NetworkBinary {

  private static final int IPV4 = 2;
  private static final int IPV6 = 3;

  private NetworkBinary() {}

  /** Family, mask, whether it is a cidr, number of bytes, the bytes. */
  static void write(String text, boolean cidr, ByteBuilder out) {
    int slash = text.indexOf('/');
    byte[] address = NetworkText.address(slash < 0 ? text : text.substring(0, slash), false);
    if (address == null) {
      throw PgText.invalidSyntax(cidr ? PgType.CIDR : PgType.INET, text);
    }
    int bits =
        slash < 0 ? address.length * 8 : Integer.parseInt(text, slash + 1, text.length(), 10);
    out.putByte(address.length == 4 ? IPV4 : IPV6).putByte(bits).putByte(cidr ? 1 : 0);
    out.putByte(address.length).putBytes(address, 0, address.length);
  }

  static void hardware(String text, ByteBuilder out) {
    for (int i = 0; i < text.length(); i += 3) {
      out.putByte(Integer.parseInt(text, i, i + 2, 16));
    }
  }
}
