package dev.millrace.model;

import java.util.Locale;

/** inet, cidr, macaddr and macaddr8 in the one form PostgreSQL prints. */
final class NetworkText {

  private static final int IPV4_BYTES = 4;
  private static final int IPV6_BYTES = 16;

  private NetworkText() {}

  static String inet(String text) {
    String[] parts = text.strip().split("/", -1);
    byte[] address = address(parts[0], false);
    if (address == null || parts.length > 2) {
      throw PgText.invalidSyntax(PgType.INET, text);
    }
    int all = address.length * 8;
    int bits = parts.length == 1 ? all : mask(parts[1], all, PgType.INET, text);
    return format(address) + (bits == all ? "" : "/" + bits);
  }

  static String cidr(String text) {
    String[] parts = text.strip().split("/", -1);
    byte[] address = address(parts[0], true);
    if (address == null || parts.length > 2) {
      throw PgText.invalidSyntax(PgType.CIDR, text);
    }
    int all = address.length * 8;
    int bits =
        parts.length == 1 ? impliedMask(parts[0], address) : mask(parts[1], all, PgType.CIDR, text);
    for (int bit = bits; bit < all; bit++) {
      if ((address[bit / 8] >> 7 - bit % 8 & 1) != 0) {
        throw new PgException(
                SqlState.INVALID_TEXT_REPRESENTATION, "invalid cidr value: \"" + text + "\"")
            .withDetail("Value has bits set to right of mask.");
      }
    }
    return format(address) + "/" + bits;
  }

  /** Without a mask the class of the first number decides, but the numbers written count too. */
  private static int impliedMask(String written, byte[] address) {
    if (address.length == IPV6_BYTES) {
      return IPV6_BYTES * 8;
    }
    int first = address[0] & 0xFF;
    int ofClass = first >= 240 ? 32 : first >= 224 ? 8 : first >= 192 ? 24 : first >= 128 ? 16 : 8;
    int numbers = written.split("\\.").length;
    return Math.max(ofClass, numbers * 8);
  }

  private static int mask(String text, int all, int typeOid, String whole) {
    if (!text.matches("\\d{1,3}") || Integer.parseInt(text) > all) {
      throw PgText.invalidSyntax(typeOid, whole);
    }
    return Integer.parseInt(text);
  }

  /** Null when the text is no address. */
  static byte[] address(String text, boolean shortened) {
    return text.indexOf(':') >= 0 ? ipv6(text) : ipv4(text, shortened);
  }

  private static byte[] ipv4(String text, boolean shortened) {
    String[] numbers = text.split("\\.", -1);
    if (numbers.length > IPV4_BYTES || numbers.length < IPV4_BYTES && !shortened) {
      return null;
    }
    byte[] address = new byte[IPV4_BYTES];
    for (int i = 0; i < numbers.length; i++) {
      if (!numbers[i].matches("\\d{1,3}") || Integer.parseInt(numbers[i]) > 255) {
        return null;
      }
      address[i] = (byte) Integer.parseInt(numbers[i]);
    }
    return address;
  }

  private static byte[] ipv6(String text) {
    String full = withoutIpv4(text);
    if (full == null) {
      return null;
    }
    int gap = full.indexOf("::");
    if (gap >= 0 && full.indexOf("::", gap + 1) >= 0) {
      return null;
    }
    String[] head = words(gap < 0 ? full : full.substring(0, gap));
    String[] tail = words(gap < 0 ? "" : full.substring(gap + 2));
    int count = head.length + tail.length;
    if (gap < 0 ? count != 8 : count > 7) {
      return null;
    }
    byte[] address = new byte[IPV6_BYTES];
    boolean good = put(head, address, 0) && put(tail, address, 8 - tail.length);
    return good ? address : null;
  }

  private static String[] words(String text) {
    return text.isEmpty() ? new String[0] : text.split(":", -1);
  }

  /** {@code ::ffff:1.2.3.4} with its last part as two words. */
  private static String withoutIpv4(String text) {
    int colon = text.lastIndexOf(':');
    if (text.indexOf('.') < 0) {
      return text;
    }
    byte[] last = ipv4(text.substring(colon + 1), false);
    if (last == null) {
      return null;
    }
    int high = (last[0] & 0xFF) << 8 | last[1] & 0xFF;
    int low = (last[2] & 0xFF) << 8 | last[3] & 0xFF;
    return text.substring(0, colon + 1)
        + Integer.toHexString(high)
        + ":"
        + Integer.toHexString(low);
  }

  private static boolean put(String[] words, byte[] address, int first) {
    for (int i = 0; i < words.length; i++) {
      if (!words[i].matches("[0-9a-fA-F]{1,4}")) {
        return false;
      }
      int word = Integer.parseInt(words[i], 16);
      address[2 * (first + i)] = (byte) (word >> 8);
      address[2 * (first + i) + 1] = (byte) word;
    }
    return true;
  }

  private static String format(byte[] address) {
    return address.length == IPV4_BYTES ? dotted(address, 0) : colons(address);
  }

  private static String dotted(byte[] address, int from) {
    return (address[from] & 0xFF)
        + "."
        + (address[from + 1] & 0xFF)
        + "."
        + (address[from + 2] & 0xFF)
        + "."
        + (address[from + 3] & 0xFF);
  }

  /** The longest run of at least two zero words becomes {@code ::}. */
  private static String colons(byte[] address) {
    int[] words = new int[8];
    for (int i = 0; i < 8; i++) {
      words[i] = (address[2 * i] & 0xFF) << 8 | address[2 * i + 1] & 0xFF;
    }
    int best = -1;
    int bestLength = 1;
    for (int i = 0; i < 8; i++) {
      int length = 0;
      while (i + length < 8 && words[i + length] == 0) {
        length++;
      }
      if (length > bestLength) {
        best = i;
        bestLength = length;
      }
    }
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < 8; i++) {
      if (i == best) {
        out.append("::");
        i += bestLength - 1;
        continue;
      }
      boolean embedded =
          i == 6 && best == 0 && (bestLength == 6 || bestLength == 5 && words[5] == 0xFFFF);
      if (out.length() > 0 && out.charAt(out.length() - 1) != ':') {
        out.append(':');
      }
      if (embedded) {
        return out.append(dotted(address, 12)).toString();
      }
      out.append(Integer.toHexString(words[i]));
    }
    return out.toString();
  }

  static String macaddr(String text) {
    String digits = hexDigits(text, PgType.MACADDR);
    if (digits.length() != 12) {
      throw PgText.invalidSyntax(PgType.MACADDR, text);
    }
    return pairs(digits);
  }

  /** A 6-byte address gets FF:FE in its middle. */
  static String macaddr8(String text) {
    String digits = hexDigits(text, PgType.MACADDR8);
    if (digits.length() == 12) {
      digits = digits.substring(0, 6) + "fffe" + digits.substring(6);
    }
    if (digits.length() != 16) {
      throw PgText.invalidSyntax(PgType.MACADDR8, text);
    }
    return pairs(digits);
  }

  private static String hexDigits(String text, int typeOid) {
    String digits = text.strip().toLowerCase(Locale.ROOT);
    if (!digits.matches("[0-9a-f]+([:.-]?[0-9a-f]+)*")) {
      throw PgText.invalidSyntax(typeOid, text);
    }
    return digits.replaceAll("[:.-]", "");
  }

  private static String pairs(String digits) {
    return digits.replaceAll("(..)(?!$)", "$1:");
  }
}
