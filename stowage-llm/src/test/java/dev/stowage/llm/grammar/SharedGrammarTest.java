package dev.stowage.llm.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.AccessException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.llm.sampling.Sampler;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.llm.sampling.TokenConstraint;
import dev.stowage.llm.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** One grammar in many texts, and what it does to those that it cannot follow. */
class SharedGrammarTest {

    private final Tokenizer tokenizer = Vocabularies.of(List.of());

    private String text(Grammar grammar, Tokenizer vocabulary, int seed) {
        Sampler sampler = new Sampler(
                SamplingOptions.defaults().withTemperature(2).withSeed(seed),
                vocabulary.vocabulary().size());
        return new RandomModel(vocabulary).text(grammar, sampler, new Random(seed));
    }

    @Test
    void threadsAndVocabulariesShareAGrammar() throws Exception {
        Tokenizer other = Vocabularies.piecesOf(List.of("{\"a\": [1, 2], \"b\": \"\"}"), 60, new Random(5));
        List<String> alone = new ArrayList<>();
        for (int seed = 0; seed < 16; seed++) {
            alone.add(text(Grammar.json(), seed % 2 == 0 ? tokenizer : other, seed));
        }
        Grammar shared = Grammar.json();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<String>> texts = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                int seed = i;
                texts.add(threads.submit(() -> text(shared, seed % 2 == 0 ? tokenizer : other, seed)));
            }
            for (int seed = 0; seed < 16; seed++) {
                assertThat(texts.get(seed).get()).as("seed %d", seed).isEqualTo(alone.get(seed));
            }
        }
    }

    @Test
    void tokensThatMayNotComeNextAreRefusedAndChangeNothing() {
        TokenConstraint constraint = Grammar.gbnf("root ::= \"ab\"").constraint(tokenizer);
        assertThatThrownBy(() -> constraint.accept('b'))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("may not come next");
        int end = tokenizer.vocabulary().size() - 1;
        assertThatThrownBy(() -> constraint.accept(end)).isInstanceOf(MalformedDataException.class);
        assertThatThrownBy(() -> constraint.accept(-1)).isInstanceOf(AccessException.class);
        assertThatThrownBy(() -> constraint.mask(new float[3])).isInstanceOf(AccessException.class);
        constraint.accept(token("a"));
        constraint.accept(token("b"));
        assertThat(constraint.mustEnd()).isTrue();
    }

    private int token(String character) {
        return tokenizer.vocabulary().find(character).orElseThrow();
    }

    @Test
    void deepNestingAndLongTextsStayFast() {
        Grammar nested = Grammar.gbnf("root ::= \"(\" root \")\" | \"\"");
        assertThat(nested.matches("(".repeat(20_000) + ")".repeat(20_000))).isTrue();
        Grammar long50k = Grammar.jsonSchema("{\"type\": \"string\", \"maxLength\": 50000}");
        assertThat(long50k.matches('"' + "x".repeat(50_000) + '"')).isTrue();
        assertThat(long50k.matches('"' + "x".repeat(50_001) + '"')).isFalse();
        Grammar exponential = Grammar.gbnf("root ::= (\"a\"? \"a\"?){200} [ab]* \"b\" [ab]{200}");
        assertThat(exponential.matches("a".repeat(300) + "b" + "ab".repeat(100)))
                .isTrue();
    }
}
