package dev.millrace.model;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Dates and times as people spell them ({@code Jan 5 2020}, {@code 1/5/2020 12:34 PM EST}, {@code
 * epoch}), brought into ISO style, which {@link DateTimeReader} reads. Numbers stand in the order
 * of PostgreSQL's default DateStyle, month before day. Words that depend on the moment ({@code
 * today}) are not known. Used once.
 */
final class DateTimeSpelling {

  private static final Pattern FIELD =
      Pattern.compile(
          "(?<time>\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d*)?)?)"
              + "|(?<date>\\d+([-/.])(?:\\d+|[a-z]+)\\3\\d+|[a-z]{3,}-\\d+-\\d+)"
              + "|(?<zone>[+-]\\d{1,2}(?::?\\d{2}){0,2})"
              + "|(?<word>[a-z][a-z_]*(?:/[a-z_+-]+)*)"
              + "|(?<number>\\d+)"
              + "|[\\s,]+");

  private static final List<String> MONTHS =
      List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");

  private static final Pattern FULL_MONTH =
      Pattern.compile(
          "(?:january|february|march|april|june|july|august|sept|september|october|november"
              + "|december)");

  private static final Pattern WEEKDAY =
      Pattern.compile("(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:day)?|at|on|t");

  /** Offsets in hours of the abbreviations that PostgreSQL knows by default, the usual ones. */
  private static final Map<String, Integer> ABBREVIATIONS =
      Map.ofEntries(
          Map.entry("z", 0),
          Map.entry("zulu", 0),
          Map.entry("utc", 0),
          Map.entry("ut", 0),
          Map.entry("gmt", 0),
          Map.entry("wet", 0),
          Map.entry("west", 1),
          Map.entry("bst", 1),
          Map.entry("cet", 1),
          Map.entry("cest", 2),
          Map.entry("eet", 2),
          Map.entry("eest", 3),
          Map.entry("msk", 3),
          Map.entry("jst", 9),
          Map.entry("est", -5),
          Map.entry("edt", -4),
          Map.entry("cst", -6),
          Map.entry("cdt", -5),
          Map.entry("mst", -7),
          Map.entry("mdt", -6),
          Map.entry("pst", -8),
          Map.entry("pdt", -7),
          Map.entry("akst", -9),
          Map.entry("akdt", -8),
          Map.entry("hst", -10));

  private String year;
  private String month;
  private String day;
  private String time;
  private String half;
  private String offset;
  private ZoneId zone;
  private boolean beforeChrist;

  /** The text in ISO style with all the fields it has; null when it is no date or time. */
  static String iso(String text) {
    DateTimeSpelling spelling = new DateTimeSpelling();
    try {
      return spelling.read(text.strip().toLowerCase(Locale.ROOT)) ? spelling.iso() : null;
    } catch (DateTimeException | NumberFormatException e) {
      return null;
    }
  }

  private boolean read(String text) {
    if (text.equals("epoch")) {
      year = "1970";
      month = "01";
      day = "01";
      return true;
    }
    Matcher field = FIELD.matcher(text);
    int end = 0;
    while (end < text.length() && field.region(end, text.length()).lookingAt() && take(field)) {
      end = field.end();
    }
    return end == text.length();
  }

  private boolean take(Matcher field) {
    if (field.group("time") != null) {
      boolean first = time == null;
      time = field.group("time");
      return first;
    }
    if (field.group("date") != null) {
      return date(field.group("date").split("[-/.]"));
    }
    if (field.group("zone") != null) {
      boolean first = time != null && offset == null;
      offset = field.group("zone");
      return first;
    }
    if (field.group("word") != null) {
      return word(field.group("word"));
    }
    return field.group("number") == null || number(field.group("number"));
  }

  private boolean date(String[] parts) {
    if (year != null || month != null || day != null) {
      return false;
    }
    boolean named = month(parts[0]) != null || month(parts[1]) != null;
    if (parts[0].length() >= 3 && Character.isDigit(parts[0].charAt(0))) {
      setDate(parts[0], parts[1], parts[2]);
    } else if (named && month(parts[0]) == null) {
      setDate(parts[2], parts[1], parts[0]);
    } else {
      setDate(parts[2], parts[0], parts[1]);
    }
    return month != null;
  }

  private void setDate(String newYear, String newMonth, String newDay) {
    year = newYear;
    month = Character.isDigit(newMonth.charAt(0)) ? newMonth : month(newMonth);
    day = newDay;
  }

  /** The number of a month's name; null for another word. */
  private static String month(String word) {
    boolean known = MONTHS.contains(word) || FULL_MONTH.matcher(word).matches();
    return known ? String.valueOf(MONTHS.indexOf(word.substring(0, 3)) + 1) : null;
  }

  private boolean word(String word) {
    if (month(word) != null) {
      boolean first = month == null;
      month = month(word);
      return first;
    }
    if (word.equals("am") || word.equals("pm")) {
      boolean first = time != null && half == null;
      half = word;
      return first;
    }
    if (word.equals("bc") || word.equals("ad")) {
      beforeChrist = word.equals("bc");
      return year != null;
    }
    if (WEEKDAY.matcher(word).matches()) {
      return true;
    }
    Integer hours = ABBREVIATIONS.get(word);
    if (hours != null) {
      offset = ZoneOffset.ofHours(hours).getId().replace("Z", "+00");
      return true;
    }
    for (String id : ZoneId.getAvailableZoneIds()) {
      if (id.equalsIgnoreCase(word)) {
        zone = ZoneId.of(id);
        return true;
      }
    }
    return false;
  }

  private boolean number(String digits) {
    if (digits.length() == 8 && year == null) {
      setDate(digits.substring(0, 4), digits.substring(4, 6), digits.substring(6));
    } else if (digits.length() == 6 && year != null && time == null) {
      time = digits.substring(0, 2) + ":" + digits.substring(2, 4) + ":" + digits.substring(4);
    } else if (digits.length() >= 3 && year == null) {
      year = digits;
    } else if (digits.length() <= 2 && day == null) {
      day = digits;
    } else if (digits.length() <= 2 && year == null && month != null) {
      year = digits;
    } else {
      return false;
    }
    return true;
  }

  private String iso() {
    boolean anyDate = year != null || month != null || day != null;
    if (anyDate && (year == null || month == null || day == null) || !anyDate && time == null) {
      return null;
    }
    StringBuilder text = new StringBuilder();
    if (anyDate) {
      text.append(String.format(Locale.ROOT, "%04d-%s-%s", fullYear(), month, day));
    }
    if (time != null) {
      text.append(anyDate ? " " : "").append(fullTime()).append(zone());
    }
    return text.append(beforeChrist ? " BC" : "").toString();
  }

  /** Two digits are a year from 1970 to 2069. */
  private int fullYear() {
    int number = Integer.parseInt(year);
    return year.length() > 2 || beforeChrist ? number : number + (number < 70 ? 2000 : 1900);
  }

  private String fullTime() {
    if (half == null) {
      return time;
    }
    int colon = time.indexOf(':');
    int hour = Integer.parseInt(time.substring(0, colon));
    if (hour < 1 || hour > 12) {
      throw new DateTimeException("an hour of 12 beyond 12");
    }
    return hour % 12 + (half.equals("pm") ? 12 : 0) + time.substring(colon);
  }

  private String zone() {
    if (zone == null || offset != null) {
      return offset == null ? "" : offset;
    }
    if (year == null) {
      throw new DateTimeException("a zone's offset depends on the date");
    }
    LocalDate date =
        LocalDate.of(
            beforeChrist ? 1 - fullYear() : fullYear(),
            Integer.parseInt(month),
            Integer.parseInt(day));
    String clock = fullTime();
    LocalTime local = LocalTime.parse(clock.indexOf(':') == 1 ? "0" + clock : clock);
    return date.atTime(local).atZone(zone).getOffset().getId().replace("Z", "+00");
  }
}
