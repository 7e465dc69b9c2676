package dev.stowage.internal.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.MalformedDataException;
import dev.stowage.internal.json.JsonValue.JsonArray;
import dev.stowage.internal.json.JsonValue.JsonDouble;
import dev.stowage.internal.json.JsonValue.JsonLong;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonWriterTest {

    private final StringBuilder text = new StringBuilder();

    @Test
    void writesOnOneLine() {
        writeSample(JsonWriter.compact(text));
        assertThat(text).hasToString("{\"a\":[1,2.5,true,null,[],{}],\"b\":{\"c\":\"x\"}}");
    }

    @Test
    void writesIndentedByTwoSpaces() {
        writeSample(JsonWriter.indented(text));
        assertThat(text).hasToString("""
            {
              "a": [
                1,
                2.5,
                true,
                null,
                [],
                {}
              ],
              "b": {
                "c": "x"
              }
            }\
            """);
    }

    private static void writeSample(JsonWriter writer) {
        writer.beginObject()
                .name("a")
                .beginArray()
                .value(1)
                .value(2.5)
                .value(true)
                .nullValue();
        writer.beginArray().endArray().beginObject().endObject().endArray();
        writer.name("b")
                .beginObject()
                .name("c")
                .value("x")
                .endObject()
                .endObject()
                .finish();
    }

    @Test
    void escapesOnlyWhatHasToBe() {
        JsonWriter.compact(text)
                .value("\"\\/\b\f\n\r\t\u0000\u001f\u007f\u00e9\u2028\ud83d\ude00")
                .finish();
        assertThat(text).hasToString("\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u007f\u00e9\u2028\ud83d\ude00\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\ud83d", "a\ude00", "\ude00\ud83d", "\ud83d\ud83d\ude00"})
    void refusesStringsThatAreNotUnicodeAndWritesNothing(String string) {
        JsonWriter writer = JsonWriter.compact(text).beginArray();
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> writer.value(string))
                .withMessageContaining("is not one of a pair");
        assertThat(text).hasToString("[");
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
    void refusesNumbersJsonDoesNotHave(double number) {
        JsonWriter writer = JsonWriter.compact(text).beginArray();
        assertThatExceptionOfType(MalformedDataException.class).isThrownBy(() -> writer.value(number));
        assertThatExceptionOfType(MalformedDataException.class).isThrownBy(() -> new JsonDouble(number));
        assertThat(text).hasToString("[");
    }

    static List<Consumer<JsonWriter>> misuses() {
        return List.of(
                JsonWriter::finish,
                JsonWriter::endArray,
                JsonWriter::endObject,
                w -> w.name("a"),
                w -> w.value(1).value(2),
                w -> w.value(1).beginArray(),
                w -> w.value(1).name("a"),
                w -> w.beginArray().finish(),
                w -> w.beginArray().endObject(),
                w -> w.beginArray().name("a"),
                w -> w.beginObject().endArray(),
                w -> w.beginObject().value(1),
                w -> w.beginObject().beginObject(),
                w -> w.beginObject().name("a").name("b"),
                w -> w.beginObject().name("a").endObject(),
                w -> w.beginObject().name("a").value(1).value(2),
                w -> w.beginObject().name("a").beginArray().endArray().nullValue());
    }

    @ParameterizedTest
    @MethodSource("misuses")
    void refusesPiecesThatAreOutOfPlace(Consumer<JsonWriter> misuse) {
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> misuse.accept(JsonWriter.compact(text)))
                .withMessageContaining(" cannot be written ");
    }

    @Test
    void goesOnAfterARefusal() {
        JsonWriter writer = JsonWriter.compact(text).beginObject().name("a");
        assertThatExceptionOfType(MalformedDataException.class).isThrownBy(writer::endObject);
        assertThatExceptionOfType(MalformedDataException.class).isThrownBy(() -> writer.name("b"));
        writer.value(1).endObject().finish();
        assertThat(text).hasToString("{\"a\":1}");
    }

    @Test
    void refusesToWriteWhatIsTooDeepToBeRead() {
        JsonValue value = new JsonLong(1);
        for (int i = 0; i <= JsonReader.MAX_DEPTH; i++) {
            value = new JsonArray(List.of(value));
        }
        JsonValue tooDeep = value;
        assertThatExceptionOfType(MalformedDataException.class).isThrownBy(() -> JsonWriter.compact(tooDeep));
    }

    @Test
    void passesOnWhatTheTargetThrows() {
        IOException full = new IOException("no space left");
        Writer target = new Writer() {
            @Override
            public void write(char[] characters, int offset, int length) throws IOException {
                throw full;
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(() -> JsonWriter.compact(target).value(1))
                .withCause(full);
    }

    @Test
    void writesDecimalsWithoutAnExponent() {
        StringBuilder text = new StringBuilder();
        JsonWriter.compact(text)
                .beginArray()
                .decimal(1_250, 3)
                .decimal(7, 3)
                .decimal(-123_456_789_012_345L, 2)
                .endArray()
                .finish();

        assertThat(text).hasToString("[1.250,0.007,-1234567890123.45]");
    }
}
