package dev.millrace.model;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * PostgreSQL's binary form of a value, made from its text form: what a type's send function writes.
 * Types that are not here travel as text, as those without a send function do in PostgreSQL.
 *
 * <p>Stateless; safe for any thread.
 */
public abstract class BinaryForm {

  private static final int JSONB_VERSION = 1;
  private static final int XID8 = 5069;
  private static final int XML = 142;
  private static final int CHAR = 18;

  private static final Map<Integer, BinaryForm> BY_OID = new HashMap<>();

  static {
    for (int oid : new int[] {PgType.TEXT, PgType.VARCHAR, PgType.BPCHAR, PgType.NAME}) {
      put(oid, new Bytes());
    }
    put(PgType.JSON, new Bytes());
    put(XML, new Bytes());
    put(PgType.INT2, integer(PgType.INT2, Short.BYTES));
    put(PgType.INT4, integer(PgType.INT4, Integer.BYTES));
    put(PgType.INT8, integer(PgType.INT8, Long.BYTES));
    put(PgType.OID, integer(PgType.OID, Integer.BYTES));
    put(PgType.XID, integer(PgType.XID, Integer.BYTES));
    put(PgType.BOOL, ofText((text, out) -> out.putByte(text.equals("t") ? 1 : 0)));
    put(
        PgType.FLOAT4,
        ofText((text, out) -> out.putInt(Float.floatToIntBits(FloatText.parseFloat(text)))));
    put(
        PgType.FLOAT8,
        ofText((text, out) -> out.putLong(Double.doubleToLongBits(FloatText.parseDouble(text)))));
    put(PgType.NUMERIC, ofText(NumericBinary::write));
    put(
        PgType.BYTEA,
        ofText(
            (text, out) -> {
              byte[] bytes = (byte[]) PgText.parse(text, PgType.BYTEA);
              out.putBytes(bytes, 0, bytes.length);
            }));
    put(PgType.DATE, ofText(DateTimeBinary::date));
    put(PgType.TIME, ofText((text, out) -> out.putLong(DateTimeBinary.micros(text))));
    put(PgType.TIMETZ, ofText(DateTimeBinary::timeWithZone));
    put(PgType.TIMESTAMP, ofText(DateTimeBinary::timestamp));
    put(PgType.TIMESTAMPTZ, ofText(DateTimeBinary::timestamp));
    put(PgType.INTERVAL, ofText(BinaryForm::interval));
    put(PgType.UUID, ofText(BinaryForm::uuid));
    put(PgType.JSONB, ofText((text, out) -> out.putByte(JSONB_VERSION).putUtf8(text)));
    put(PgType.PG_LSN, ofText((text, out) -> out.putLong(Lsn.parse(text).value())));
    put(XID8, ofText((text, out) -> out.putLong(Long.parseUnsignedLong(text))));
    put(CHAR, ofText(BinaryForm::singleByte));
    put(PgType.BIT, ofText(BinaryForm::bits));
    put(PgType.VARBIT, ofText(BinaryForm::bits));
    put(PgType.INET, ofText((text, out) -> NetworkBinary.write(text, false, out)));
    put(PgType.CIDR, ofText((text, out) -> NetworkBinary.write(text, true, out)));
    put(PgType.MACADDR, ofText(NetworkBinary::hardware));
    put(PgType.MACADDR8, ofText(NetworkBinary::hardware));
  }

  private static void put(int oid, BinaryForm form) {
    BY_OID.put(oid, form);
    PgType type = PgType.byOid(oid);
    if (type.arrayOid() != 0) {
      BY_OID.put(type.arrayOid(), new ArrayBinary(oid, form));
    }
  }

  /** The form of a built-in type, or null when its values travel as text. */
  public static BinaryForm of(int typeOid) {
    return BY_OID.get(typeOid);
  }

  /**
   * Appends the binary form of a text.
   *
   * @throws RuntimeException when the text is no value of the type; what was appended is then to be
   *     taken back
   */
  public abstract void write(byte[] buffer, int offset, int length, ByteBuilder out);

  /** The text's own bytes. */
  private static final class Bytes extends BinaryForm {
    @Override
    public void write(byte[] buffer, int offset, int length, ByteBuilder out) {
      out.putBytes(buffer, offset, length);
    }
  }

  private interface TextForm {
    void write(String text, ByteBuilder out);
  }

  private static BinaryForm ofText(TextForm form) {
    return new BinaryForm() {
      @Override
      public void write(byte[] buffer, int offset, int length, ByteBuilder out) {
        form.write(new String(buffer, offset, length, StandardCharsets.UTF_8), out);
      }
    };
  }

  private static BinaryForm integer(int typeOid, int bytes) {
    return new BinaryForm() {
      @Override
      public void write(byte[] buffer, int offset, int length, ByteBuilder out) {
        long value = IntegerText.parse(buffer, offset, length, typeOid);
        if (bytes == Short.BYTES) {
          out.putShort((int) value);
        } else if (bytes == Integer.BYTES) {
          out.putInt((int) value);
        } else {
          out.putLong(value);
        }
      }
    };
  }

  /** A byte beyond ASCII is printed in octal, {@code \\303}. */
  private static void singleByte(String text, ByteBuilder out) {
    if (text.length() == 4 && text.charAt(0) == '\\') {
      out.putByte(Integer.parseInt(text, 1, 4, 8));
    } else {
      out.putByte(text.isEmpty() ? 0 : text.charAt(0));
    }
  }

  private static void interval(String text, ByteBuilder out) {
    PgInterval interval = PgInterval.parse(text);
    out.putLong(interval.micros()).putInt(interval.days()).putInt(interval.months());
  }

  private static void uuid(String text, ByteBuilder out) {
    UUID uuid = UUID.fromString(text);
    out.putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits());
  }

  /** The number of bits, then the bits from the left, filled up with zeros. */
  private static void bits(String text, ByteBuilder out) {
    out.putInt(text.length());
    for (int from = 0; from < text.length(); from += 8) {
      int value = 0;
      for (int bit = 0; bit < 8; bit++) {
        boolean one = from + bit < text.length() && text.charAt(from + bit) == '1';
        value = value << 1 | (one ? 1 : 0);
      }
      out.putByte(value);
    }
  }
}
