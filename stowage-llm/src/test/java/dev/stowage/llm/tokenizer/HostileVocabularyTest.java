package dev.stowage.llm.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.MalformedDataException;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Vocabularies that were made to take long. Without a bound on the work, these would not end within the time of a test run. */
class HostileVocabularyTest {

    private static final int CONTROL = 3;
    private static final int USER_DEFINED = 4;

    /** A vocabulary of byte pairs with the letters a to d and more tokens, all of one type. */
    private static GgufMetadata metadata(List<String> special, int type) {
        List<String> texts = new ArrayList<>(List.of("a", "b", "c", "d"));
        texts.addAll(special);
        long[] types = new long[texts.size()];
        Arrays.fill(types, 1);
        Arrays.fill(types, 4, types.length, type);
        return GgufMetadata.empty()
                .with(TokenizerKeys.MODEL, GgufValue.text("gpt2"))
                .with(TokenizerKeys.PRE, GgufValue.text("gpt-2"))
                .with(TokenizerKeys.TOKENS, Fixtures.texts(texts.toArray(String[]::new)))
                .with(TokenizerKeys.TYPES, Fixtures.wholes(types))
                .with(TokenizerKeys.MERGES, Fixtures.texts());
    }

    private static Tokenizer tokenizer(List<String> special, int type) {
        return Tokenizer.of(metadata(special, type));
    }

    /** As llama.cpp does it: one token after the other, the longest first, wherever the text is not yet taken. */
    private static List<SpecialTokens.Match> oneByOne(Vocabulary vocabulary, String text, BitSet plain) {
        List<Integer> ids = new ArrayList<>();
        for (int id = 4; id < vocabulary.size(); id++) {
            ids.add(id);
        }
        ids.sort(Comparator.comparingInt(id -> -vocabulary.text(id).length()));
        BitSet taken = new BitSet();
        List<SpecialTokens.Match> all = new ArrayList<>();
        for (int id : ids) {
            String token = vocabulary.text(id);
            int from = 0;
            for (int at; (at = text.indexOf(token, from)) >= 0; ) {
                int end = at + token.length();
                boolean isFree = taken.get(at, end).isEmpty()
                        && (vocabulary.type(id) == TokenType.USER_DEFINED
                                || plain.get(at, end).isEmpty());
                if (isFree) {
                    taken.set(at, end);
                    all.add(new SpecialTokens.Match(id, at, end));
                }
                from = isFree ? end : at + 1;
            }
        }
        all.sort(Comparator.comparingInt(SpecialTokens.Match::start));
        return all;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void specialTokensAreThoseThatAreFoundOneByOne(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 50; round++) {
            List<String> special = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                String token = letters(random, 2 + random.nextInt(5), 2);
                if (!special.contains(token)) {
                    special.add(token);
                }
            }
            GgufMetadata metadata = metadata(special, CONTROL);
            long[] types = new long[4 + special.size()];
            Arrays.fill(types, 1);
            for (int i = 4; i < types.length; i++) {
                types[i] = random.nextBoolean() ? CONTROL : USER_DEFINED;
            }
            Vocabulary vocabulary = Tokenizer.of(metadata.with(TokenizerKeys.TYPES, Fixtures.wholes(types)))
                    .vocabulary();
            String text = letters(random, 40, 2);
            BitSet plain = new BitSet();
            plain.set(random.nextInt(20), 20 + random.nextInt(3));
            assertThat(new SpecialTokens(vocabulary, new BitSet()).find(text, true, plain))
                    .as("seed %d, round %d: %s in %s", seed, round, special, text)
                    .isEqualTo(oneByOne(vocabulary, text, plain));
        }
    }

    private static String letters(Random random, int length, int kinds) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append((char) ('a' + random.nextInt(kinds)));
        }
        return text.toString();
    }

    @Test
    void nestedTokensTakeTimeInProportionToTheText() {
        List<String> nested = new ArrayList<>();
        for (int length = 2; length <= 300; length++) {
            nested.add("a".repeat(length));
        }
        Tokenizer tokenizer = tokenizer(nested, USER_DEFINED);
        int[] tokens = tokenizer.encode("a".repeat(1_000_000), EncodeOptions.TEXT);
        assertThat(tokens).hasSize(3333 + 1);
        assertThat(tokenizer.vocabulary().text(tokens[0])).hasSize(300);
        assertThat(tokenizer.vocabulary().text(tokens[3333])).hasSize(100);
    }

    @Test
    void aTokenOfMegabytesIsFoundInTextThatAlmostHasItEverywhere() {
        String huge = "a".repeat(1 << 22) + "b";
        Tokenizer tokenizer = tokenizer(List.of(huge), CONTROL);
        assertThat(tokenizer.encode("c" + huge, EncodeOptions.CHAT)).containsExactly(2, 4);
        assertThat(tokenizer.encode("cd", EncodeOptions.CHAT)).containsExactly(2, 3);
    }

    @Test
    void messagesShowTheBeginningOfATextOfMegabytes() {
        String huge = "a".repeat(1 << 20);
        assertThatThrownBy(() -> tokenizer(List.of(huge, huge), CONTROL))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("(1048576 characters)")
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(1000));
        GgufMetadata named = metadata(List.of(), CONTROL).with(TokenizerKeys.PRE, GgufValue.text(huge));
        assertThatThrownBy(() -> Tokenizer.of(named))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining(TokenizerKeys.PRE)
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(2000));
    }
}
