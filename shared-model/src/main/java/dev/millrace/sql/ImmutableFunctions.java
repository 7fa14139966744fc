package dev.millrace.sql;

import java.util.Set;

/**
 * PostgreSQL's built-in functions by what row filters need to know of them: those that always give
 * the same answer to the same arguments and that H2 has under the same name, and those that do not.
 */
final class ImmutableFunctions {

  private static final Set<String> IMMUTABLE =
      words(
          "abs acos ascii asin atan atan2 bit_length btrim cast ceil ceiling char_length"
              + " character_length chr coalesce cos cosh cot date_trunc degrees exp extract floor"
              + " greatest least left length ln log log10 lower lpad ltrim md5 mod nullif"
              + " octet_length overlay pi position power radians regexp_like regexp_replace repeat"
              + " replace right round rpad rtrim sign sin sinh sqrt strpos substr substring tan"
              + " tanh translate trim trunc upper");

  private static final Set<String> MUTABLE =
      words(
          "age clock_timestamp concat concat_ws currval current_database current_query"
              + " current_schemas current_setting format gen_random_uuid has_table_privilege"
              + " inet_client_addr inet_server_addr lastval nextval now num_nulls quote_literal"
              + " quote_nullable random random_normal set_config setseed setval"
              + " statement_timestamp timeofday to_char to_date to_json to_jsonb to_number"
              + " to_timestamp transaction_timestamp txid_current txid_current_snapshot uuidv4"
              + " uuidv7 version");

  private static final Set<String> AGGREGATES =
      words(
          "array_agg avg bit_and bit_or bool_and bool_or corr count every json_agg jsonb_agg max"
              + " min regr_slope stddev string_agg sum variance");

  private ImmutableFunctions() {}

  static boolean has(String name) {
    return IMMUTABLE.contains(name);
  }

  static boolean isMutable(String name) {
    return MUTABLE.contains(name) || name.startsWith("pg_");
  }

  static boolean isAggregate(String name) {
    return AGGREGATES.contains(name);
  }

  private static Set<String> words(String words) {
    return Set.of(words.split(" "));
  }
}
