package dev.stowage.llm.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.llm.sampling.TokenConstraint;
import dev.stowage.llm.tokenizer.Tokenizer;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The tokens that may come next are exactly those after which the grammar still allows a text: tried one by one. */
class TokenMaskTest {

    private static final int GRAMMARS = 400;
    private static final int MOST_TOKENS = 8;

    private final Tokenizer tokenizer = Vocabularies.of(RandomGrammar.tokens(new Random(11), 120));
    private final int size = tokenizer.vocabulary().size();

    @Test
    void masksAreThoseOfTryingEveryToken() {
        int compared = 0;
        for (int seed = 0; seed < GRAMMARS; seed++) {
            Random random = new Random(seed);
            RandomGrammar plain = new RandomGrammar(random);
            Grammar grammar = Grammar.gbnf(plain.gbnf());
            compared += compare(plain, grammar, random, "seed " + seed + ":\n" + plain.gbnf());
            // Again, with what it remembers.
            compare(plain, grammar, random, "seed " + seed + " again:\n" + plain.gbnf());
        }
        assertThat(compared).isGreaterThan(GRAMMARS);
    }

    private int compare(RandomGrammar plain, Grammar grammar, Random random, String what) {
        TokenConstraint constraint = grammar.constraint(tokenizer);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        for (int step = 0; step < MOST_TOKENS; step++) {
            boolean mayEnd = plain.answer(text.toByteArray()).mayEnd();
            if (constraint.mustEnd()) {
                assertThat(mayEnd).as(what).isTrue();
                return step;
            }
            float[] logits = new float[size];
            constraint.mask(logits);
            List<Integer> allowed = new ArrayList<>();
            for (int token = 0; token < size; token++) {
                boolean end = tokenizer.vocabulary().isEnd(token);
                boolean expected =
                        end ? mayEnd : plain.answer(with(text, token)).mayGoOn();
                assertThat(logits[token] == 0)
                        .as(
                                "%safter %s, token %d, %s",
                                what, text, token, end ? "end" : HexFormat.of().formatHex(tokenizer.bytes(token)))
                        .isEqualTo(expected);
                if (expected && !end) {
                    allowed.add(token);
                }
            }
            if (allowed.isEmpty()) {
                return step;
            }
            int token = allowed.get(random.nextInt(allowed.size()));
            constraint.accept(token);
            text.writeBytes(tokenizer.bytes(token));
        }
        return MOST_TOKENS;
    }

    private byte[] with(ByteArrayOutputStream text, int token) {
        ByteArrayOutputStream longer = new ByteArrayOutputStream();
        longer.writeBytes(text.toByteArray());
        longer.writeBytes(tokenizer.bytes(token));
        return longer.toByteArray();
    }
}
