package dev.millrace.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("PostgreSQL's types by OID and name")
class PgTypeTest {

  @ParameterizedTest(name = "{0} is {1}")
  @CsvSource({
    "int, 23",
    "integer, 23",
    "int4, 23",
    "serial, 23",
    "bigserial, 20",
    "smallserial, 21",
    "float, 701",
    "float8, 701",
    "double precision, 701",
    "real, 700",
    "decimal, 1700",
    "char, 1042",
    "character, 1042",
    "bpchar, 1042",
    "character varying, 1043",
    "timestamp, 1114",
    "timestamp without time zone, 1114",
    "timestamptz, 1184",
    "timestamp with time zone, 1184",
    "timetz, 1266",
    "pg_lsn, 3220",
    "jsonb, 3802",
    "int[], 1007",
    "text[][], 1009",
    "_text, 1009"
  })
  @DisplayName("names and aliases lead to the OID")
  void names(String name, int oid) {
    assertThat(PgType.byName(name).oid()).isEqualTo(oid);
  }

  @Test
  @DisplayName("bare char is bpchar, quoted char is the one-byte type")
  void quotedChar() {
    assertThat(PgType.byName("\"char\"").oid()).isEqualTo(18);
    assertThat(PgType.byName("\"char\"").name()).isEqualTo("char");
    assertThat(PgType.byName("nonsense")).isNull();
    assertThat(PgType.byName("nonsense[]")).isNull();
  }

  @ParameterizedTest(name = "{0}({1}) is {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "1043|24|character varying(20)|CHARACTER VARYING(20)",
        "25|-1|text|CHARACTER VARYING",
        "1042|9|character(5)|CHARACTER(5)",
        "1700|655366|numeric(10,2)|NUMERIC(10, 2)",
        "1700|-1|numeric|DECFLOAT",
        "1083|-1|time without time zone|TIME(6)",
        "1114|3|timestamp(3) without time zone|TIMESTAMP(3)",
        "1184|-1|timestamp with time zone|TIMESTAMP(6) WITH TIME ZONE",
        "1266|0|time(0) with time zone|TIME(0) WITH TIME ZONE",
        "701|-1|double precision|DOUBLE PRECISION"
      })
  @DisplayName("format_type's form and the H2 type of a modifier")
  void modifiers(int oid, int typeModifier, String formatted, String h2Type) {
    assertThat(PgType.format(oid, typeModifier)).isEqualTo(formatted);
    assertThat(PgType.byOid(oid).h2Type(typeModifier)).isEqualTo(h2Type);
  }

  @Test
  @DisplayName("modifiers are packed as PostgreSQL packs atttypmod")
  void packing() {
    PgType numeric = PgType.byOid(PgType.NUMERIC);
    assertThat(TypeModifier.of(numeric, "numeric", List.of(10, 2))).isEqualTo(655366);
    assertThat(TypeModifier.of(numeric, "numeric", List.of(3, -2))).isEqualTo(198658);
    assertThat(TypeModifier.scale(198658)).isEqualTo(-2);
    assertThat(TypeModifier.precision(198658)).isEqualTo(3);
    PgType bpchar = PgType.byOid(PgType.BPCHAR);
    assertThat(TypeModifier.of(bpchar, "char", List.of())).isEqualTo(5);
    assertThat(TypeModifier.of(bpchar, "bpchar", List.of())).isEqualTo(-1);
  }

  @Test
  @DisplayName("modifiers out of range or on the wrong type are refused")
  void refusedModifiers() {
    PgType varchar = PgType.byOid(PgType.VARCHAR);
    assertThatThrownBy(() -> TypeModifier.of(varchar, "varchar", List.of(0)))
        .hasMessage("length for type varchar must be at least 1");
    PgType numeric = PgType.byOid(PgType.NUMERIC);
    assertThatThrownBy(() -> TypeModifier.of(numeric, "numeric", List.of(1001)))
        .hasMessage("NUMERIC precision 1001 must be between 1 and 1000");
    PgType text = PgType.byOid(PgType.TEXT);
    assertThatThrownBy(() -> TypeModifier.of(text, "text", List.of(3)))
        .hasMessage("type modifier is not allowed for type \"text\"");
  }

  @Test
  @DisplayName("a type of a later issue is known by name and refused by it")
  void laterTypes() {
    PgType xml = PgType.byName("xml");
    assertThat(xml.isSupported()).isFalse();
    assertThatThrownBy(() -> xml.h2Type(-1))
        .isInstanceOf(PgException.class)
        .hasMessage("type xml is not supported yet");
  }
}
