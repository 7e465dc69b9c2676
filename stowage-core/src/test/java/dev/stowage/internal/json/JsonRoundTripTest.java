package dev.stowage.internal.json;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.internal.json.JsonValue.JsonArray;
import dev.stowage.internal.json.JsonValue.JsonBoolean;
import dev.stowage.internal.json.JsonValue.JsonDouble;
import dev.stowage.internal.json.JsonValue.JsonLong;
import dev.stowage.internal.json.JsonValue.JsonNull;
import dev.stowage.internal.json.JsonValue.JsonObject;
import dev.stowage.internal.json.JsonValue.JsonString;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JsonRoundTripTest {

    private static final int RUNS = 500;

    @Test
    void readsBackWhatItWrites() {
        for (long seed = 0; seed < RUNS; seed++) {
            JsonValue value = value(new Random(seed), 6);
            assertThat(JsonReader.parse(JsonWriter.compact(value)))
                    .as("seed %d", seed)
                    .isEqualTo(value);
            assertThat(JsonReader.parse(JsonWriter.indented(value)))
                    .as("seed %d", seed)
                    .isEqualTo(value);
        }
    }

    @Test
    void writesTheSameTextAgainAfterReading() {
        for (long seed = 0; seed < RUNS; seed++) {
            String text = JsonWriter.compact(value(new Random(seed), 6));
            assertThat(JsonWriter.compact(JsonReader.parse(text)))
                    .as("seed %d", seed)
                    .isEqualTo(text);
        }
    }

    @Test
    void everyDoubleSurvives() {
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            double number = finite(random);
            assertThat(JsonReader.parse(JsonWriter.compact(new JsonDouble(number))))
                    .as("bits %x", Double.doubleToRawLongBits(number))
                    .isEqualTo(new JsonDouble(number));
        }
    }

    private static JsonValue value(Random random, int depth) {
        return switch (random.nextInt(depth > 0 ? 8 : 5)) {
            case 0 -> new JsonNull();
            case 1 -> new JsonBoolean(random.nextBoolean());
            case 2 -> new JsonLong(random.nextLong() >> random.nextInt(64));
            case 3 -> new JsonDouble(finite(random));
            case 4 -> new JsonString(string(random));
            case 5, 6 -> array(random, depth - 1);
            default -> object(random, depth - 1);
        };
    }

    private static JsonArray array(Random random, int depth) {
        List<JsonValue> elements = new ArrayList<>();
        int size = random.nextInt(6);
        for (int i = 0; i < size; i++) {
            elements.add(value(random, depth));
        }
        return new JsonArray(elements);
    }

    private static JsonObject object(Random random, int depth) {
        LinkedHashMap<String, JsonValue> members = new LinkedHashMap<>();
        int size = random.nextInt(6);
        for (int i = 0; i < size; i++) {
            members.put(string(random), value(random, depth));
        }
        return new JsonObject(members);
    }

    private static double finite(Random random) {
        double number;
        do {
            number = Double.longBitsToDouble(random.nextLong());
        } while (!Double.isFinite(number));
        return number;
    }

    private static String string(Random random) {
        StringBuilder string = new StringBuilder();
        int length = random.nextInt(8);
        for (int i = 0; i < length; i++) {
            int c = switch (random.nextInt(4)) {
                case 0 -> random.nextInt(0x80);
                case 1 -> random.nextInt(0xd800);
                case 2 -> 0xe000 + random.nextInt(0x2000);
                default -> 0x10000 + random.nextInt(0x100000);
            };
            string.appendCodePoint(c);
        }
        return string.toString();
    }
}
