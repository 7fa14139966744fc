package dev.millrace.settings;

import dev.millrace.model.PgException;
import dev.millrace.model.SqlState;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A checked value.
 *
 * @param text canonical: in the definition's unit without it, {@code on} / {@code off}, the enum
 *     value as listed
 * @param number the value of integers, 0 otherwise
 * @param unitSize bytes or microseconds of the definition's unit, 1 without one
 * @param source pg_settings.source
 */
record SettingValue(String text, long number, long unitSize, String source) {

  static final String DEFAULT = "default";
  static final String COMMAND_LINE = "command line";
  static final String FILE = "configuration file";
  static final String SESSION = "session";

  private static final Pattern NUMBER_WITH_UNIT =
      Pattern.compile(
          "\\s*([+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][+-]?\\d+)?)\\s*([A-Za-z]*)\\s*");

  /**
   * Reads what a user wrote.
   *
   * @throws PgException 22023 with PostgreSQL's wording
   */
  static SettingValue parse(SettingDefinition definition, String written, String source) {
    switch (definition.type()) {
      case BOOL:
        return plain(bool(definition, written), source);
      case ENUM:
        return plain(enumValue(definition, written), source);
      case INTEGER:
        long number = integer(definition, written);
        SettingUnit unit = definition.unit() == null ? null : SettingUnit.of(definition.unit());
        long unitSize = unit == null ? 1 : unit.size();
        return new SettingValue(Long.toString(number), number, unitSize, source);
      case REAL:
        return plain(real(definition, written), source);
      default:
        return plain(written, source);
    }
  }

  private static SettingValue plain(String text, String source) {
    return new SettingValue(text, 0, 1, source);
  }

  /** As SHOW prints it, with a readable unit. */
  String shown(SettingDefinition definition) {
    if (definition.unit() == null || definition.type() != SettingDefinition.Type.INTEGER) {
      return text;
    }
    return SettingUnit.humanise(number, SettingUnit.of(definition.unit()));
  }

  private static String bool(SettingDefinition definition, String written) {
    Boolean value = boolOrNull(written);
    if (value == null) {
      throw new PgException(
          SqlState.INVALID_PARAMETER_VALUE,
          "parameter \"" + definition.name() + "\" requires a Boolean value");
    }
    return value ? "on" : "off";
  }

  /** Unique prefixes of true, false, yes, no, on, off, and 1, 0. */
  private static Boolean boolOrNull(String written) {
    String word = written.strip().toLowerCase(Locale.ROOT);
    if (word.isEmpty()) {
      return null;
    }
    if ("true".startsWith(word)
        || "yes".startsWith(word)
        || word.equals("on")
        || word.equals("1")) {
      return true;
    }
    boolean off = word.length() >= 2 && "off".startsWith(word);
    if ("false".startsWith(word) || "no".startsWith(word) || off || word.equals("0")) {
      return false;
    }
    return null;
  }

  /** Where {@code on} and {@code off} are among the values, other spellings of them count too. */
  private static String enumValue(SettingDefinition definition, String written) {
    for (String value : definition.enumValues()) {
      if (value.equalsIgnoreCase(written.strip())) {
        return value;
      }
    }
    Boolean asBool = definition.enumValues().contains("off") ? boolOrNull(written) : null;
    if (asBool != null && definition.enumValues().contains("on")) {
      return asBool ? "on" : "off";
    }
    throw invalid(definition, written)
        .withHint("Available values: " + String.join(", ", definition.enumValues()) + ".");
  }

  private static long integer(SettingDefinition definition, String written) {
    Matcher matcher = NUMBER_WITH_UNIT.matcher(written);
    if (!matcher.matches()) {
      throw invalid(definition, written);
    }
    BigDecimal amount = new BigDecimal(matcher.group(1));
    String symbol = matcher.group(2);
    BigDecimal whole =
        symbol.isEmpty()
            ? amount.setScale(0, RoundingMode.HALF_EVEN)
            : converted(definition, written, amount, symbol);
    boolean tooSmall = whole.compareTo(BigDecimal.valueOf(definition.min())) < 0;
    if (tooSmall || whole.compareTo(BigDecimal.valueOf(definition.max())) > 0) {
      throw outOfRange(definition, whole);
    }
    return whole.longValueExact();
  }

  private static BigDecimal converted(
      SettingDefinition definition, String written, BigDecimal amount, String symbol) {
    SettingUnit base = definition.unit() == null ? null : SettingUnit.of(definition.unit());
    SettingUnit unit = SettingUnit.of(symbol);
    if (base == null) {
      throw invalid(definition, written);
    }
    if (unit == null || unit.isMemory() != base.isMemory()) {
      throw invalid(definition, written)
          .withHint(base.isMemory() ? SettingUnit.MEMORY_HINT : SettingUnit.TIME_HINT);
    }
    return unit.convert(amount, base);
  }

  private static String real(SettingDefinition definition, String written) {
    try {
      return Double.toString(Double.parseDouble(written.strip()));
    } catch (NumberFormatException error) {
      throw invalid(definition, written);
    }
  }

  private static PgException outOfRange(SettingDefinition definition, BigDecimal value) {
    String unit = definition.unit() == null ? "" : " " + definition.unit();
    return new PgException(
        SqlState.INVALID_PARAMETER_VALUE,
        value.toPlainString()
            + unit
            + " is outside the valid range for parameter \""
            + definition.name()
            + "\" ("
            + definition.min()
            + unit
            + " .. "
            + definition.max()
            + unit
            + ")");
  }

  private static PgException invalid(SettingDefinition definition, String written) {
    return new PgException(
        SqlState.INVALID_PARAMETER_VALUE,
        "invalid value for parameter \"" + definition.name() + "\": \"" + written + "\"");
  }
}
