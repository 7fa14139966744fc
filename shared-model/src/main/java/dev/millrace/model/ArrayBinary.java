package dev.millrace.model;

import java.nio.charset.StandardCharsets;

/**
 * An array: number of dimensions, whether there are NULLs, the element type, length and lower bound
 * of each dimension, then the elements with their lengths (-1 for NULL).
 */
final class ArrayBinary extends BinaryForm {

  private final int elementOid;
  private final BinaryForm element;

  ArrayBinary(int elementOid, BinaryForm element) {
    this.elementOid = elementOid;
    this.element = element;
  }

  @Override
  public void write(byte[] buffer, int offset, int length, ByteBuilder out) {
    ArrayText array = ArrayText.parse(new String(buffer, offset, length, StandardCharsets.UTF_8));
    out.putInt(array.lengths().size());
    out.putInt(array.elements().contains(null) ? 1 : 0);
    out.putInt(elementOid);
    for (int i = 0; i < array.lengths().size(); i++) {
      out.putInt(array.lengths().get(i)).putInt(array.lowerBounds().get(i));
    }
    for (String value : array.elements()) {
      if (value == null) {
        out.putInt(-1);
        continue;
      }
      byte[] text = value.getBytes(StandardCharsets.UTF_8);
      out.putInt(0);
      int start = out.size();
      element.write(text, 0, text.length, out);
      out.setInt(start - Integer.BYTES, out.size() - start);
    }
  }
}
