package dev.stowage.llm.chat.jinja;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.MalformedDataException;
import dev.stowage.internal.json.JsonReader;
import dev.stowage.internal.json.JsonValue;
import dev.stowage.internal.json.JsonValue.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Templates with the structure of those that models carry, written for this test, on several conversations. What they
 * must give was recorded from Jinja2 3.1.6 under Python, set up as Hugging Face does: a sandboxed environment with
 * trim_blocks, lstrip_blocks and loop controls, tojson by json.dumps without escaping of letters.
 */
class RecordedTemplatesTest {

    private static final JsonObject CONVERSATIONS = (JsonObject) JsonReader.parse(resource("conversations.json"));
    private static final JsonObject EXPECTED = (JsonObject) JsonReader.parse(resource("expected.json"));
    private static final JsonObject OUTPUTS =
            (JsonObject) Objects.requireNonNull(EXPECTED.members().get("outputs"));
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2025-07-04T15:06:07Z"), ZoneOffset.UTC);

    private static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(RecordedTemplatesTest.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Stream<String> cases() {
        return OUTPUTS.members().keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theSameTextAsJinja2OrAnErrorWhereItHasOne(String key) {
        String[] names = key.split("/", 2);
        JinjaTemplate template = JinjaTemplate.parse(resource(names[0] + ".jinja"));
        Map<String, JsonValue> expected = ((JsonObject) member(OUTPUTS, key)).members();
        if (expected.containsKey("error")) {
            assertThatThrownBy(() -> template.render(variables(names[1]), CLOCK))
                    .isInstanceOf(MalformedDataException.class)
                    .hasMessageMatching("(?s)chat template, line \\d+: .*");
        } else {
            assertThat(template.render(variables(names[1]), CLOCK).chars())
                    .isEqualTo(((JsonValue.JsonString) member(expected, "text")).value());
        }
    }

    @Test
    void everyTemplateIsRecordedWithEveryConversation() {
        assertThat(OUTPUTS.members()).hasSize(17 * CONVERSATIONS.members().size());
        assertThat(OUTPUTS.members().values())
                .filteredOn(each -> ((JsonObject) each).members().containsKey("error"))
                .hasSize(13);
    }

    private static JsonValue member(JsonObject object, String name) {
        return member(object.members(), name);
    }

    private static JsonValue member(Map<String, JsonValue> members, String name) {
        return Objects.requireNonNull(members.get(name), name);
    }

    private static Map<String, Value> variables(String conversation) {
        Map<String, Value> variables = new HashMap<>();
        variables.put("bos_token", Value.of("<s>"));
        variables.put("eos_token", Value.of("</s>"));
        variables.put("tools", Value.None.INSTANCE);
        variables.put("documents", Value.None.INSTANCE);
        ((JsonObject) member(CONVERSATIONS, conversation))
                .members()
                .forEach((name, value) -> variables.put(name, value(value)));
        return variables;
    }

    private static Value value(JsonValue json) {
        return switch (json) {
            case JsonObject object -> {
                Map<String, Value> entries = new LinkedHashMap<>();
                object.members().forEach((name, each) -> entries.put(name, value(each)));
                yield Value.of(entries);
            }
            case JsonValue.JsonArray(List<JsonValue> elements) ->
                Value.of(elements.stream().map(RecordedTemplatesTest::value).toList());
            case JsonValue.JsonString(String text) -> Text.said(text);
            case JsonValue.JsonLong(long whole) -> Value.of(whole);
            case JsonValue.JsonDouble(double real) -> new Value.Real(real);
            case JsonValue.JsonBoolean(boolean bool) -> Value.of(bool);
            case JsonValue.JsonNull none -> Value.None.INSTANCE;
        };
    }
}
