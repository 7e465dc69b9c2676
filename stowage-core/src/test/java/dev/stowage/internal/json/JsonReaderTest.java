package dev.stowage.internal.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.stowage.error.MalformedDataException;
import dev.stowage.internal.json.JsonValue.JsonArray;
import dev.stowage.internal.json.JsonValue.JsonBoolean;
import dev.stowage.internal.json.JsonValue.JsonDouble;
import dev.stowage.internal.json.JsonValue.JsonLong;
import dev.stowage.internal.json.JsonValue.JsonNull;
import dev.stowage.internal.json.JsonValue.JsonObject;
import dev.stowage.internal.json.JsonValue.JsonString;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonReaderTest {

    @Test
    void readsEveryKindOfValue() {
        assertThat(JsonReader.parse(" [ true , false,null,\"a\" , 1,1.5, {} ,[]\r\n\t]\n"))
                .isEqualTo(new JsonArray(List.of(
                        new JsonBoolean(true),
                        new JsonBoolean(false),
                        new JsonNull(),
                        new JsonString("a"),
                        new JsonLong(1),
                        new JsonDouble(1.5),
                        new JsonObject(new LinkedHashMap<>()),
                        new JsonArray(List.of()))));
    }

    @Test
    void keepsMembersInTheirOrder() {
        assertThat(JsonReader.parse("{\"z\":1,\"a\":2,\"m\":3}").cursor().names())
                .containsExactly("z", "a", "m");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 7, -1, 9007199254740993L, Long.MAX_VALUE, Long.MIN_VALUE})
    void keepsWholeNumbersExactly(long number) {
        assertThat(JsonReader.parse(Long.toString(number))).isEqualTo(new JsonLong(number));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"1.0", "0.1", "1e3", "1E+3", "2.5e-3", "-0", "-0.0", "0e0", "1e-400", "1.7976931348623157e308"})
    void readsNumbersWithFractionOrExponentAsTheNearestDouble(String number) {
        assertThat(JsonReader.parse(number)).isEqualTo(new JsonDouble(Double.parseDouble(number)));
    }

    static Stream<Arguments> strings() {
        return Stream.of(
                arguments("\"\"", ""),
                arguments("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"),
                arguments("\"a\\u0041\\u00e9b\"", "aA\u00e9b"),
                arguments("\"\\u0000\"", "\u0000"),
                arguments("\"\\ud83d\\uDE00!\"", "\ud83d\ude00!"),
                arguments("\"\ud83d\ude00\"", "\ud83d\ude00"),
                arguments("\"\uffff\u007f\u2028\"", "\uffff\u007f\u2028"));
    }

    @ParameterizedTest
    @MethodSource("strings")
    void decodesStrings(String document, String decoded) {
        assertThat(JsonReader.parse(document)).isEqualTo(new JsonString(decoded));
    }

    @Test
    void tellsNullFromAbsent() {
        JsonCursor cursor = JsonReader.parse("{\"a\":null}").cursor();
        assertThat(cursor.find("a"))
                .hasValueSatisfying(a -> assertThat(a.isNull()).isTrue());
        assertThat(cursor.find("b")).isEmpty();
    }

    /** Document, line and column of the complaint, a part of its reason. */
    static Stream<Arguments> malformed() {
        return Stream.of(
                arguments("", 1, 1, "expected a value, found the end of the text"),
                arguments(" \n ", 2, 2, "expected a value, found the end of the text"),
                arguments("\ufeff{}", 1, 1, "expected a value, found U+FEFF"),
                arguments("\u00a0{}", 1, 1, "expected a value, found U+00A0"),
                arguments("{}{}", 1, 3, "the document has ended, but '{' follows"),
                arguments("1 2", 1, 3, "the document has ended, but '2' follows"),
                arguments("truex", 1, 5, "the document has ended, but 'x' follows"),
                arguments("[1] // end", 1, 5, "the document has ended, but '/' follows"),
                arguments("[1,]", 1, 4, "expected a value, found ']'"),
                arguments("[,1]", 1, 2, "expected a value, found ','"),
                arguments("[1 2]", 1, 4, "expected ',' or ']' in an array, found '2'"),
                arguments("[1\n,2", 2, 3, "expected ',' or ']' in an array, found the end of the text"),
                arguments("[1}", 1, 3, "expected ',' or ']' in an array, found '}'"),
                arguments("{\"a\":1,}", 1, 8, "expected a key in quotes, found '}'"),
                arguments("{a:1}", 1, 2, "expected a key in quotes, found 'a'"),
                arguments("{1:1}", 1, 2, "expected a key in quotes, found '1'"),
                arguments("{'a':1}", 1, 2, "expected a key in quotes, found '''"),
                arguments("{\"a\" 1}", 1, 6, "expected ':' after the key \"a\", found '1'"),
                arguments("{\"a\":}", 1, 6, "expected a value, found '}'"),
                arguments("{\"a\":1 \"b\":2}", 1, 8, "expected ',' or '}' in an object, found '\"'"),
                arguments("{\"a\":1,\n \"\\u0061\":2}", 2, 2, "the key \"a\" is there twice"),
                arguments("{\"a\":{\"b\":1,\"b\":2}}", 1, 13, "the key \"b\" is there twice"),
                arguments("True", 1, 1, "expected a value, found 'T'"),
                arguments("[tru]", 1, 2, "a word that is not true, false or null"),
                arguments("nul", 1, 1, "a word that is not true, false or null"),
                arguments("NaN", 1, 1, "expected a value, found 'N'"),
                arguments("[Infinity]", 1, 2, "expected a value, found 'I'"),
                arguments("-Infinity", 1, 2, "expected a digit, found 'I'"),
                arguments("-", 1, 2, "expected a digit, found the end of the text"),
                arguments("+1", 1, 1, "expected a value, found '+'"),
                arguments(".5", 1, 1, "expected a value, found '.'"),
                arguments("01", 1, 2, "must not begin with 0"),
                arguments("-012", 1, 3, "must not begin with 0"),
                arguments("00.5", 1, 2, "must not begin with 0"),
                arguments("1.", 1, 3, "expected a digit after the decimal point, found the end of the text"),
                arguments("1.e5", 1, 3, "expected a digit after the decimal point, found 'e'"),
                arguments("[1e]", 1, 4, "expected a digit of the exponent, found ']'"),
                arguments("1e+-1", 1, 4, "expected a digit of the exponent, found '-'"),
                arguments("0x10", 1, 2, "the document has ended, but 'x' follows"),
                arguments("\u0661", 1, 1, "expected a value, found U+0661"),
                arguments("[ 9223372036854775808]", 1, 3, "the whole number \"9223372036854775808\" is outside"),
                arguments("-9223372036854775809", 1, 1, "is outside -9223372036854775808 to 9223372036854775807"),
                arguments("[1, 1e309]", 1, 5, "is beyond the largest double"),
                arguments("-1.8e308", 1, 1, "is beyond the largest double"),
                arguments("[\"abc]", 1, 2, "a string has no closing quote"),
                arguments("\"a\\\"", 1, 1, "a string has no closing quote"),
                arguments("\"a\\", 1, 3, "a backslash in a string has to be followed by"),
                arguments("\"a\nb\"", 1, 3, "the control character U+000A"),
                arguments("\"\t\"", 1, 2, "the control character U+0009"),
                arguments("\"\u0000\"", 1, 2, "the control character U+0000"),
                arguments("\"\\x41\"", 1, 2, "a backslash in a string has to be followed by"),
                arguments("\"\\U0041\"", 1, 2, "a backslash in a string has to be followed by"),
                arguments("\"ab\\u12g4\"", 1, 4, "four hexadecimal digits"),
                arguments("\"\\u12\"", 1, 2, "four hexadecimal digits"),
                arguments("\"\\u\uff11\uff11\uff11\uff11\"", 1, 2, "four hexadecimal digits"),
                arguments("\"\\ud83d\\u12\"", 1, 8, "four hexadecimal digits"),
                arguments("\"x\\ud83d\"", 1, 3, "the surrogate U+D83D is not one of a pair"),
                arguments("\"\\ude00\\ud83d\"", 1, 2, "the surrogate U+DE00 is not one of a pair"),
                arguments("\"\\ud83d\\u0041\"", 1, 2, "the surrogate U+D83D is not one of a pair"),
                arguments("\"\\ud83d\ude00\"", 1, 2, "the surrogate U+D83D is not one of a pair"),
                arguments("\"a\ud83d\"", 1, 3, "the surrogate U+D83D is not one of a pair"),
                arguments("\"a\ude00\"", 1, 3, "the surrogate U+DE00 is not one of a pair"),
                arguments("\"a\ud83d" + "\\ude00\"", 1, 3, "the surrogate U+D83D is not one of a pair"),
                arguments("[\"\ud83d\ude00\",?]", 1, 6, "expected a value, found '?'"),
                arguments("[\r\n1,\r2,\n\n  ?]", 5, 3, "expected a value, found '?'"),
                arguments("\uffff", 1, 1, "expected a value, found U+FFFF"),
                arguments("[1\uffff", 1, 3, "found U+FFFF"));
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void refusesWhatIsNotJsonAndSaysWhere(String document, int line, int column, String reason) {
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> JsonReader.parse(document))
                .withMessageStartingWith("line " + line + ", column " + column + ": ")
                .withMessageContaining(reason);
    }

    @Test
    void countsLinesFromTheGivenOne() {
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> JsonReader.parse("[1,\n?]", 17))
                .withMessageStartingWith("line 18, column 1: ");
    }

    @Test
    void readsDocumentsAsDeepAsTheLimit() {
        String document = "[".repeat(JsonReader.MAX_DEPTH) + "]".repeat(JsonReader.MAX_DEPTH);
        assertThat(JsonWriter.compact(JsonReader.parse(document))).isEqualTo(document);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "{\"a\":"})
    void refusesDeeperDocumentsWhereTheyGetTooDeep(String opening) {
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> JsonReader.parse(opening.repeat(1_000_000)))
                .withMessageStartingWith("line 1, column " + (JsonReader.MAX_DEPTH * opening.length() + 1) + ": ")
                .withMessageContaining("more than 512 deep");
    }

    @Test
    void complainsBrieflyAboutLongNumbers() {
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> JsonReader.parse("9".repeat(100_000)))
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(300));
    }
}
