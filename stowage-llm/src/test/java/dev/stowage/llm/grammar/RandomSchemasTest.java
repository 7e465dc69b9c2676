package dev.stowage.llm.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.gguf.GgufHeader;
import dev.stowage.llm.TestModels;
import dev.stowage.llm.sampling.Sampler;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.llm.tokenizer.Tokenizer;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever the schema and the model: the text conforms to the schema, and comes to an end. */
class RandomSchemasTest {

    private static final int SCHEMAS = 1_000;

    private static final List<String> SAMPLES = List.of(
            "{\"name\": \"naïve\", \"values\": [1, 2.5, null], \"tag\":\"one\"}",
            "\",\"語\":{\"x y\":true}}, {\"id\":-12e3}, \"gr\\\"ün\\u00e9\"]}",
            "foobar@w.com 2024-02-11T10:20:30Z 😀");

    private static Tokenizer tokenizer(String kind) {
        return switch (kind) {
            case "recorded" ->
                Tokenizer.of(GgufHeader.read(TestModels.lexicon()).metadata());
            case "bytes" -> Vocabularies.of(List.of());
            default -> Vocabularies.piecesOf(SAMPLES, 600, new Random(3));
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"pieces", "bytes", "recorded"})
    void everyTextConforms(String kind) {
        Tokenizer tokenizer = tokenizer(kind);
        RandomModel model = new RandomModel(tokenizer);
        int size = tokenizer.vocabulary().size();
        int count = kind.equals("pieces") ? SCHEMAS : SCHEMAS / 10;
        for (int seed = 0; seed < count; seed++) {
            Random random = new Random(seed);
            Map<String, Object> schema = new RandomSchemas(random).next();
            Grammar grammar = Grammar.jsonSchema(Json.write(schema));
            for (float temperature : new float[] {0, 0.7f, 5}) {
                SamplingOptions options =
                        SamplingOptions.defaults().withTemperature(temperature).withSeed(seed);
                String text = model.text(grammar, new Sampler(options, size), random);
                assertThat(grammar.matches(text)).isTrue();
                assertThat(new SchemaValidator(schema).conforms(Json.parse(text)))
                        .as("seed %d, temperature %s, schema %s, text %s", seed, temperature, Json.write(schema), text)
                        .isTrue();
            }
        }
    }
}
