package dev.stowage.llm.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.MalformedDataException;
import dev.stowage.llm.sampling.TokenConstraint;
import dev.stowage.llm.tokenizer.Tokenizer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A grammar with very many ways to read a text fails its own text, and soon. */
class WorkLimitTest {

    private final Tokenizer tokenizer = Vocabularies.of(List.of());

    /** Goes on with the letter a as long as the grammar lets it; returns how many there were. */
    private int letters(Grammar grammar, int most) {
        TokenConstraint constraint = grammar.constraint(tokenizer);
        int size = tokenizer.vocabulary().size();
        int a = IntStream.range(0, size)
                .filter(token -> Arrays.equals(tokenizer.bytes(token), new byte[] {'a'}))
                .findFirst()
                .orElseThrow();
        for (int letter = 0; letter < most; letter++) {
            float[] logits = new float[size];
            constraint.mask(logits);
            constraint.accept(a);
        }
        return most;
    }

    @Timeout(60)
    @ParameterizedTest
    @ValueSource(
            strings = {
                "root ::= ([a-z ] | [a-z ] [a-z ] | [a-z ] root [a-z ])*",
                "root ::= s\ns ::= (\"a\" s \"b\"? s? | \"a\" s? | \"a\")",
                "root ::= x x x x\nx ::= [ab] x y | [ab] y x | [ab]\ny ::= [ab] x? | x y?"
            })
    void whatIsTooAmbiguousIsRefusedInsteadOfTakingForEver(String gbnf) {
        assertThatThrownBy(() -> letters(Grammar.gbnf(gbnf), 100_000))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("less ambiguous");
    }

    @Test
    void aLongTextOfAnOrdinaryGrammarIsNot() {
        Grammar grammar = Grammar.gbnf("root ::= (word \" \"?)*\nword ::= [a-z]{1,20} | [0-9]+");
        assertThat(letters(grammar, 20_000)).isEqualTo(20_000);
    }

    @Test
    void repetitionsOfRepetitionsHaveALimitLikeGroups() {
        assertThatCode(() -> Grammar.gbnf("root ::= \"a\"" + "*".repeat(100))).doesNotThrowAnyException();
        assertThatThrownBy(() -> Grammar.gbnf("root ::= \"a\"" + "*".repeat(300_000)))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("nested more than");
    }
}
