package dev.stowage.llm.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.MalformedDataException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What JSON schemas allow, and which are refused. */
class JsonSchemaTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '¦',
            quoteCharacter = '`',
            value = {
                "{}                                                      ¦ [1, {\"a\": null}]  ¦ [1,]",
                "true                                                    ¦ \"x\"               ¦ x",
                "{'type': 'string', 'minLength': 2, 'maxLength': 3}      ¦ \"é\\n\"            ¦ \"a\"",
                "{'type': 'string', 'minLength': 1, 'maxLength': 1}      ¦ \"\\ud83d\\ude00\"  ¦ \"ab\"",
                "{'type': 'string'}                                      ¦ \"\\u00e9\"         ¦ \"\\ud800\"",
                "{'type': 'string', 'pattern': '^a[^b]{2}$'}             ¦ \"a\\\"c\"          ¦ \"abc\"",
                "{'type': 'string', 'pattern': 'b+'}                     ¦ \"abc\"             ¦ \"ac\"",
                "{'type': 'string', 'pattern': '^\\\\d\\\\s?|x$'}        ¦ \"1 more\"          ¦ \"y\"",
                "{'type': 'string', 'pattern': '^(?:\\\\w{2}\\\\.)+$'}   ¦ \"ab.c_.\"          ¦ \"ab.c\"",
                "{'type': 'string', 'format': 'date'}                    ¦ \"2024-02-28\"      ¦ \"2024-13-01\"",
                "{'type': 'string', 'format': 'email'}                   ¦ \"anything\"        ¦ 1",
                "{'type': 'integer', 'minimum': -12, 'maximum': 105}     ¦ -12                 ¦ 106",
                "{'type': 'integer', 'exclusiveMinimum': 0.5}            ¦ 1                   ¦ 0",
                "{'type': 'integer', 'exclusiveMaximum': -3}             ¦ -4                  ¦ -3",
                "{'type': 'integer', 'minimum': 5, 'exclusiveMinimum': 5} ¦ 6                  ¦ 5",
                "{'type': 'number', 'minimum': 0.25, 'maximum': 0.5}     ¦ 0.25                ¦ 0.51",
                "{'type': 'number', 'exclusiveMinimum': 1, 'maximum': 2} ¦ 1.001               ¦ 1.0",
                "{'type': 'number', 'exclusiveMaximum': -1.5}            ¦ -1.51               ¦ -1.5",
                "{'type': 'number', 'minimum': -1, 'maximum': 1}         ¦ -0.5                ¦ -1.2",
                "{'type': 'number', 'minimum': 9.99, 'maximum': 10.01}   ¦ 10.01               ¦ 9.98",
                "{'type': 'number'}                                      ¦ -1.5e-10            ¦ 01",
                "{'enum': ['a', 1, [null]]}                              ¦ [null]              ¦ 2",
                "{'type': 'string', 'enum': ['a', 1]}                    ¦ \"a\"               ¦ 1",
                "{'const': {'k': 'v'}}                                   ¦ {\"k\":\"v\"}       ¦ {}",
                "{'type': ['null', 'boolean']}                           ¦ null                ¦ 0",
                "{'type': 'array', 'items': {'type': 'null'}, 'minItems': 1, 'maxItems': 2} ¦ [null, null] ¦ []",
                "{'type': 'array', 'prefixItems': [{'const': 1}, {'const': 2}], 'minItems': 2} ¦ [1,2] ¦ [1]",
                "{'type': 'array', 'prefixItems': [{'const': 1}], 'items': {'const': 2}} ¦ [1,2,2] ¦ [2]",
                "{'type': 'array', 'maxItems': 0}                        ¦ []                  ¦ [1]",
                "{'properties': {'a': {'const': 1}, 'b': {'const': 2}}}  ¦ {\"b\":2}           ¦ {\"b\":2,\"a\":1}",
                "{'properties': {'a': {'const': 1}}, 'required': ['a']}  ¦ {\"a\": 1}          ¦ {}",
                "{'properties': {'a': {'const': 1}, 'b': false}}         ¦ {\"a\":1}           ¦ {\"b\":1}",
                "{'properties': {'a': {'const': 1}}, 'required': ['b']}  ¦ {\"a\":1,\"b\":[]}  ¦ {\"a\":1}",
                "{'properties': {'ab': {'const': 1}}, 'additionalProperties': {'const': 2}} ¦ {\"ac\":2,\"a\":2} ¦ {\"ab\":2}",
                "{'type': 'object', 'additionalProperties': false}       ¦ {}                  ¦ {\"a\":1}",
                "{'anyOf': [{'type': 'string'}, {'const': 1}]}           ¦ 1                   ¦ 2",
                "{'anyOf': [{'minimum': 3}, {'maximum': -3}], 'type': 'integer'} ¦ -4          ¦ 0",
                "{'allOf': [{'type': 'integer'}, {'minimum': 3}, {'maximum': 4}]} ¦ 3          ¦ 5",
                "{'allOf': [{'$ref': '#/$defs/a'}], '$defs': {'a': {'const': 1}}} ¦ 1          ¦ 2",
                "{'oneOf': [{'type': 'string'}, {'type': 'null'}]}       ¦ null                ¦ 1",
                "{'items': {'$ref': '#'}, 'type': 'array'}               ¦ [[],[[]]]           ¦ [1]",
                "{'$ref': '#/$defs/a~1b', '$defs': {'a/b': {'const': 1}}} ¦ 1                  ¦ 2",
                "{'type': 'integer', 'minimum': -9223372036854775808, 'maximum': 9223372036854775807} ¦ 9223372036854775807 ¦ 9223372036854775808",
            })
    void aValueConformsOrDoesNot(String schema, String conforms, String other) {
        Grammar grammar = Grammar.jsonSchema(schema.replace('\'', '"'));
        assertThat(grammar.matches(conforms)).as(conforms).isTrue();
        assertThat(grammar.matches(other)).as(other).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "{'type': 'array', 'uniqueItems': true}                     ; #/uniqueItems             ; not supported",
                "{'properties': {'a/b': {'not': {}}}}                       ; #/properties/a~1b/not     ; not supported",
                "{'patternProperties': {}}                                  ; #/patternProperties       ; not supported",
                "{'type': 'objekt'}                                         ; #/type                    ; no type 'objekt'",
                "{'type': 'integer', 'multipleOf': 3}                       ; #/multipleOf              ; not supported",
                "{'type': 'string', 'pattern': '(?=a)'}                     ; #/pattern                 ; (?",
                "{'type': 'string', 'pattern': 'a\\\\b'}                    ; #/pattern                 ; escape",
                "{'type': 'string', 'pattern': 'a', 'maxLength': 3}         ; #/pattern                 ; together",
                "{'type': 'string', 'minLength': 3, 'maxLength': 2}         ; #/minLength               ; larger",
                "{'type': 'string', 'maxLength': -1}                        ; #/maxLength               ; whole number",
                "{'type': 'integer', 'minimum': 3, 'maximum': 2}            ; #/minimum                 ; no integer",
                "{'type': 'number', 'exclusiveMinimum': 3, 'maximum': 3}    ; #/exclusiveMinimum        ; no number",
                "{'type': 'number', 'exclusiveMinimum': true}               ; #/exclusiveMinimum        ; a number",
                "{'$ref': 'http://example.com/x'}                           ; #/$ref                    ; within the schema",
                "{'$ref': '#/$defs/x'}                                      ; #/$ref                    ; nothing at",
                "{'$ref': '#'}                                              ; #                         ; no finite text",
                "{'oneOf': [{'type': 'number'}, {'type': 'integer'}]}       ; #/oneOf                   ; 0 and 1",
                "{'anyOf': []}                                              ; #/anyOf                   ; at least one",
                "{'anyOf': [{'properties': {'a': {}}}], 'additionalProperties': false} ; #/anyOf        ; one schema",
                "{'properties': {'a': {'$ref': '#'}}, 'required': ['a']}    ; #                         ; no finite text",
                "{'required': ['a'], 'additionalProperties': false}         ; #/required                ; 'a' is required",
                "{'type': 'object', 'minProperties': 3}                     ; #/minProperties           ; not supported",
                "{'type': 'string', 'maxLength': 99999999}                  ; #/maxLength               ; at most",
                "{'type': 'string', 'const': 1}                             ; #/const                   ; type",
                "{'items': 7}                                               ; #/items                   ; has to be an object",
                "{'allOf': [{'$ref': '#'}], 'type': 'object'}               ; allOf                     ; deep",
                "{'type': 'string'                                          ; line 1                    ; JSON schema",
            })
    void whatIsNotSupportedIsNamedWithItsPlace(String schema, String place, String problem) {
        assertThatThrownBy(() -> Grammar.jsonSchema(schema.replace('\'', '"')))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining(place)
                .hasMessageContaining(problem);
    }

    @Test
    void anyJsonIsAnObject() {
        Grammar json = Grammar.json();
        assertThat(json.matches("{\"a\": [1, 2.5e3, {\"b\": null}], \"c\": \"\\\"\"}"))
                .isTrue();
        assertThat(json.matches("{\n  \"a\": true\n}")).isTrue();
        assertThat(json.matches("[1]")).isFalse();
        assertThat(json.matches("{} ")).isFalse();
    }

    @Test
    void whatWouldTakeTooLongIsRefused() {
        String name = "k".repeat(20_000);
        assertThatThrownBy(() ->
                        Grammar.jsonSchema("{\"properties\": {\"" + name + "\": {}}, \"additionalProperties\": true}"))
                .hasMessageContaining("300 characters");
        assertThatThrownBy(
                        () -> Grammar.jsonSchema("{\"oneOf\": [" + "{\"const\": 1}, ".repeat(300) + "{\"const\": 2}]}"))
                .hasMessageContaining("at most 256");
        assertThat(Grammar.jsonSchema("{\"properties\": {\"" + name + "\": {\"const\": 1}}}")
                        .matches("{\"" + name + "\":1}"))
                .isTrue();
    }

    @Test
    void deepAndWideSchemasCompile() {
        StringBuilder deep = new StringBuilder();
        for (int i = 0; i < 170; i++) {
            deep.append("{\"properties\": {\"a\": ");
        }
        deep.append("true").append("}}".repeat(170));
        assertThat(Grammar.jsonSchema(deep.toString()).matches("{\"a\":{\"a\":{}}}"))
                .isTrue();
        StringBuilder wide = new StringBuilder("{\"properties\": {\"p\": {}");
        for (int i = 0; i < 2_000; i++) {
            wide.append(", \"p").append(i).append("\": {\"type\": \"boolean\"}");
        }
        assertThat(Grammar.jsonSchema(wide.append("}}").toString()).matches("{\"p7\":true,\"p1999\":false}"))
                .isTrue();
    }
}
