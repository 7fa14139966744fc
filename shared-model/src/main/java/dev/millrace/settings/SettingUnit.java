package dev.millrace.settings;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** PostgreSQL's units of memory (in bytes) and time (in microseconds), largest first. */
enum SettingUnit {
  TB("TB", 1L << 40, true),
  GB("GB", 1L << 30, true),
  MB("MB", 1L << 20, true),
  KB("kB", 1L << 10, true),
  B("B", 1, true),
  D("d", 86_400_000_000L, false),
  H("h", 3_600_000_000L, false),
  MIN("min", 60_000_000L, false),
  S("s", 1_000_000L, false),
  MS("ms", 1_000L, false),
  US("us", 1, false);

  static final String MEMORY_HINT =
      "Valid units for this parameter are \"B\", \"kB\", \"MB\", \"GB\", and \"TB\".";
  static final String TIME_HINT =
      "Valid units for this parameter are \"us\", \"ms\", \"s\", \"min\", \"h\", and \"d\".";

  private final String symbol;
  private final long size;
  private final boolean memory;

  SettingUnit(String symbol, long size, boolean memory) {
    this.symbol = symbol;
    this.size = size;
    this.memory = memory;
  }

  /** The unit of that symbol (case matters, as in PostgreSQL), or null. */
  static SettingUnit of(String symbol) {
    for (SettingUnit unit : values()) {
      if (unit.symbol.equals(symbol)) {
        return unit;
      }
    }
    return null;
  }

  boolean isMemory() {
    return memory;
  }

  /** Bytes, or microseconds. */
  long size() {
    return size;
  }

  /** {@code amount} of this unit, rounded to whole ones of {@code base}. */
  BigDecimal convert(BigDecimal amount, SettingUnit base) {
    return amount
        .multiply(BigDecimal.valueOf(size))
        .divide(BigDecimal.valueOf(base.size), 0, RoundingMode.HALF_EVEN);
  }

  /** As SHOW prints it: in the largest unit that leaves a whole number. */
  static String humanise(long amount, SettingUnit base) {
    if (amount <= 0) {
      return Long.toString(amount);
    }
    for (SettingUnit unit : values()) {
      boolean usable = unit.memory == base.memory && unit.size >= base.size;
      long perUnit = unit.size / base.size;
      if (usable && amount % perUnit == 0) {
        return amount / perUnit + unit.symbol;
      }
    }
    return amount + base.symbol;
  }
}
