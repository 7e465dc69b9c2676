package dev.stowage.llm.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.grammar.Grammar;
import dev.stowage.llm.sampling.SamplingOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests whose text has to conform to a grammar, beside others. */
@Timeout(300)
class GrammarRequestsTest {

    private static final String SCHEMA = """
            {"type": "object",
             "properties": {"name": {"type": "string", "maxLength": 12}, "kind": {"enum": ["noun", "verb"]},
                            "count": {"type": "integer", "minimum": 1, "maximum": 99}},
             "required": ["name", "kind", "count"]}
            """;

    private static final String FORM =
            "\\{\\s*\"name\":\\s*\".*\"\\s*,\\s*\"kind\":\\s*\"(noun|verb)\"\\s*,\\s*\"count\":\\s*[1-9][0-9]?\\s*}";

    @Test
    void theirTextConforms() throws InterruptedException {
        Grammar schema = Grammar.jsonSchema(SCHEMA);
        try (LanguageModel model = EngineModels.open(3, 768);
                Engine engine = new Engine(model, EngineOptions.defaults())) {
            List<Completion> running = new ArrayList<>();
            for (int seed = 0; seed < 6; seed++) {
                running.add(engine.submit(EngineModels.request(model, "harbor, n. ")
                        .sampling(
                                SamplingOptions.defaults().withTemperature(seed).withSeed(seed))
                        .grammar(schema)
                        .maxTokens(200)
                        .build()));
            }
            for (Completion each : running) {
                assertThat(each.await().reason()).isEqualTo(FinishReason.END_OF_TEXT);
                assertThat(each.await().text())
                        .matches(text -> schema.matches(text))
                        .matches("(?s)" + FORM);
            }
        }
    }

    @Test
    void theMostLikelyTokenOfADeviceIsNotTakenWhereThereIsAGrammar() throws InterruptedException {
        try (LanguageModel model = EngineModels.open(2, 512);
                Engine engine = new Engine(model, EngineOptions.defaults())) {
            CompletionRequest.Builder greedy =
                    EngineModels.request(model, "harbor, n. ").maxTokens(20);
            Completion free = engine.submit(greedy.build());
            Completion bound = engine.submit(greedy.grammar(Grammar.gbnf("root ::= \"42\" | \"no\" \" \"{3}"))
                    .build());
            assertThat(bound.await().text()).isIn("42", "no   ");
            assertThat(free.await().text()).isNotEqualTo(bound.await().text());
        }
    }

    @Test
    void whereNoTokenMayComeNextTheRequestFailsAloneAndSaysSo() throws InterruptedException {
        try (LanguageModel model = EngineModels.open(2, 512);
                Engine engine = new Engine(model, EngineOptions.defaults())) {
            Map<Integer, Float> nothing = new HashMap<>();
            for (int token = 0; token < model.tokenizer().vocabulary().size(); token++) {
                nothing.put(token, Float.NEGATIVE_INFINITY);
            }
            Completion stuck = engine.submit(EngineModels.request(model, "harbor, n. ")
                    .grammar(Grammar.json())
                    .bias(nothing)
                    .build());
            Completion fine = engine.submit(
                    EngineModels.request(model, "tensor, n. ").maxTokens(5).build());
            assertThatThrownBy(stuck::await).hasMessageContaining("negative infinity");
            assertThat(fine.await().tokens()).isNotEmpty();
        }
    }

    @Test
    void anAmbiguousGrammarFailsItsRequestAndNotTheEngine() throws InterruptedException {
        String rules = "root ::= " + "a | ".repeat(6_000) + "a\na ::= \"a\" b\nb ::= a?";
        StringBuilder hostile = new StringBuilder("root ::= r0");
        for (int i = 0; i < 6_000; i++) {
            hostile.append(" | r").append(i).append(" \"").append(i).append('"');
        }
        for (int i = 0; i < 6_000; i++) {
            hostile.append("\nr").append(i).append(" ::= \"x\" r").append(i).append("? \"y\"");
        }
        assertThat(Grammar.gbnf(rules).matches("aaa")).isTrue();
        try (LanguageModel model = EngineModels.open(2, 512);
                Engine engine = new Engine(model, EngineOptions.defaults())) {
            Completion failing = engine.submit(EngineModels.request(model, "harbor, n. ")
                    .grammar(Grammar.gbnf(hostile.toString()))
                    .build());
            assertThatThrownBy(failing::await)
                    .isInstanceOf(MalformedDataException.class)
                    .hasMessageContaining("ambiguous");
            assertThat(engine.submit(EngineModels.request(model, "tensor, n. ")
                                    .maxTokens(5)
                                    .build())
                            .await()
                            .tokens())
                    .isNotEmpty();
        }
    }

    @Test
    void aGrammarAndAnotherConstraintExcludeEachOther() {
        CompletionRequest.Builder both = CompletionRequest.builder(1)
                .grammar(Grammar.json())
                .constraint(() -> {
                    throw new AssertionError();
                });
        assertThatThrownBy(both::build).isInstanceOf(InvalidPlanException.class).hasMessageContaining("constraints");
    }
}
