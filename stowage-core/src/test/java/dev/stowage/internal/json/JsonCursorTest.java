package dev.stowage.internal.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.stowage.error.MalformedDataException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class JsonCursorTest {

    private static final JsonCursor DOCUMENT = JsonReader.parse("""
        {
          "name": "plan",
          "expect": {"chunks": [10, 20, 2.5, null, [1, 2]]},
          "big": 5000000000,
          "yes": true,
          "odd key": {"": 1}
        }
        """).cursor();

    @Test
    void walksToWhatIsThere() {
        assertThat(DOCUMENT.get("expect").get("chunks").at(1).asInt()).isEqualTo(20);
        assertThat(DOCUMENT.get("expect").get("chunks").at(2).asDouble()).isEqualTo(2.5);
        assertThat(DOCUMENT.get("expect").get("chunks").at(0).asDouble()).isEqualTo(10);
        assertThat(DOCUMENT.get("expect").get("chunks").at(4).asInts()).containsExactly(1, 2);
        assertThat(DOCUMENT.get("expect").get("chunks").at(4).asLongs()).containsExactly(1, 2);
        assertThat(DOCUMENT.get("expect").get("chunks").elements()).hasSize(5);
        assertThat(DOCUMENT.get("big").asLong()).isEqualTo(5_000_000_000L);
        assertThat(DOCUMENT.get("name").asString()).isEqualTo("plan");
        assertThat(DOCUMENT.get("yes").asBoolean()).isTrue();
    }

    static Stream<Arguments> complaints() {
        return Stream.of(
                complaint(d -> d.get("none"), "(document): the member \"none\" is missing"),
                complaint(JsonCursor::asString, "(document): expected a string, found an object of 5"),
                complaint(d -> d.get("name").get("x"), "name: expected an object, found the string \"plan\""),
                complaint(d -> d.get("name").elements(), "name: expected an array, found the string \"plan\""),
                complaint(d -> d.get("expect").asBoolean(), "expect: expected true or false, found an object of 1"),
                complaint(
                        d -> d.get("expect").get("chunks").at(3).asLong(),
                        "expect.chunks[3]: expected a whole number, found null"),
                complaint(
                        d -> d.get("expect").get("chunks").at(2).asLong(),
                        "expect.chunks[2]: expected a whole number, found the number 2.5"),
                complaint(
                        d -> d.get("expect").get("chunks").asLongs(),
                        "expect.chunks[2]: expected a whole number, found the number 2.5"),
                complaint(
                        d -> d.get("expect").get("chunks").at(5),
                        "expect.chunks: there is no element 5 in an array of 5"),
                complaint(
                        d -> d.get("expect").get("chunks").at(4).at(-1),
                        "expect.chunks[4]: there is no element -1 in an array of 2"),
                complaint(
                        d -> d.get("expect").get("chunks").at(4).asDouble(),
                        "expect.chunks[4]: expected a number, found an array of 2"),
                complaint(
                        d -> d.get("big").asInt(),
                        "big: expected a whole number from -2147483648 to 2147483647, found the number 5000000000"),
                complaint(
                        d -> d.get("expect").get("chunks").at(0).asInt(0, 9),
                        "expect.chunks[0]: expected a whole number from 0 to 9, found the number 10"),
                complaint(d -> d.get("yes").asString(), "yes: expected a string, found true"),
                complaint(
                        d -> d.get("odd key").get("").asString(),
                        "[\"odd key\"][\"\"]: expected a string, found the number 1"));
    }

    private static Arguments complaint(Consumer<JsonCursor> reading, String message) {
        return arguments(reading, message);
    }

    @ParameterizedTest
    @MethodSource("complaints")
    void namesThePathAndWhatIsThere(Consumer<JsonCursor> reading, String message) {
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> reading.accept(DOCUMENT))
                .withMessage(message);
    }
}
