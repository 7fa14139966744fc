package dev.millrace.sql;

import dev.millrace.model.ArrayText;
import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import dev.millrace.model.TypeInput;
import java.util.ArrayList;
import java.util.List;
import org.h2.value.Value;
import org.h2.value.ValueArray;
import org.h2.value.ValueNull;
import org.h2.value.ValueToObjectConverter;

/**
 * H2's arrays in PostgreSQL's text form, which is what columns of array types hold.
 *
 * <p>Public with public methods because H2 calls it by name.
 */
public final class ArrayFunction {

  private ArrayFunction() {}

  /** The function {@code array_text} around every ARRAY[..]. */
  public static String text(Value value) {
    return value == ValueNull.INSTANCE ? null : text(objects(((ValueArray) value).getList()));
  }

  private static Object[] objects(Value[] values) {
    Object[] objects = new Object[values.length];
    for (int i = 0; i < values.length; i++) {
      objects[i] =
          values[i] instanceof ValueArray nested
              ? objects(nested.getList())
              : ValueToObjectConverter.valueToDefaultObject(values[i], null, false);
    }
    return objects;
  }

  static String text(Object[] array) {
    List<Integer> lengths = new ArrayList<>();
    List<String> elements = new ArrayList<>();
    add(array, 0, lengths, elements);
    return new ArrayText(lengths.stream().map(length -> 1).toList(), lengths, elements).format();
  }

  private static void add(Object[] part, int depth, List<Integer> lengths, List<String> elements) {
    if (depth == lengths.size()) {
      lengths.add(part.length);
    } else if (lengths.get(depth) != part.length) {
      throw new PgException(
          SqlState.ARRAY_SUBSCRIPT_ERROR,
          "multidimensional arrays must have array expressions with matching dimensions");
    }
    for (Object element : part) {
      if (element instanceof Object[] nested) {
        add(nested, depth + 1, lengths, elements);
      } else {
        elements.add(element == null ? null : TypeInput.elementText(element));
      }
    }
  }
}
