package dev.stowage.llm.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.MalformedDataException;
import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufValue;
import dev.stowage.llm.EmbeddingRecording;
import dev.stowage.llm.TestModels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** WordPiece cuts text as llama.cpp does, and in proportion to its length. */
class WordPieceTest {

    private static final int UNKNOWN = 1;

    private static GgufMetadata metadata(List<String> pieces) {
        List<String> texts = new ArrayList<>(List.of("[PAD]", "[UNK]", "[CLS]", "[SEP]"));
        texts.addAll(pieces);
        long[] types = new long[texts.size()];
        Arrays.fill(types, 1);
        Arrays.fill(types, 0, 4, 3);
        return GgufMetadata.empty()
                .with(TokenizerKeys.MODEL, GgufValue.text("bert"))
                .with(TokenizerKeys.TOKENS, Fixtures.texts(texts.toArray(String[]::new)))
                .with(TokenizerKeys.TYPES, Fixtures.wholes(types))
                .with(TokenizerKeys.UNKNOWN, GgufValue.uint32(UNKNOWN))
                .with(TokenizerKeys.CLS, GgufValue.uint32(2))
                .with(TokenizerKeys.SEP, GgufValue.uint32(3));
    }

    private static Tokenizer tokenizer(String... pieces) {
        return Tokenizer.of(metadata(List.of(pieces)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"tiny-bert", "tiny-bert-cased"})
    void awkwardTextsHaveTheTokensThatWereRecorded(String name) {
        GgufMetadata metadata =
                GgufContents.read(TestModels.file("encoders/tiny-bert")).metadata();
        boolean lowers = !name.endsWith("cased");
        Tokenizer tokenizer = Tokenizer.of(metadata.with(TokenizerKeys.LOWER_CASE, new GgufValue.Bool(lowers)));
        for (EmbeddingRecording.Case each :
                EmbeddingRecording.read("tokens.json.gz").cases(name)) {
            assertThat(tokenizer.encode(each.text(), EncodeOptions.CHAT))
                    .as("%s: '%s'", name, each.text())
                    .isEqualTo(each.tokens());
        }
    }

    @Test
    void aWordIsItsLongestPiecesOrUnknownAsAWhole() {
        Tokenizer tokenizer = tokenizer("\u2581un", "\u2581una", "aff", "able", "ble", "\u2581,");
        assertThat(tokenizer.encode("Unaffable, unable", EncodeOptions.PROMPT))
                .as("after ▁una no token begins with what is left of either word")
                .containsExactly(2, UNKNOWN, 9, 5, 8, 3);
    }

    @Test
    void namesOfControlTokensInTextAreText() {
        Tokenizer tokenizer = tokenizer("\u2581[", "\u2581]", "\u2581cls");
        assertThat(tokenizer.encode("[CLS]", EncodeOptions.TEXT)).containsExactly(4, 6, 5);
        assertThat(tokenizer.encode("[CLS]", new EncodeOptions(false, true))).containsExactly(2);
    }

    @Test
    void tokensReadAsTheirWords() {
        Tokenizer tokenizer = tokenizer("\u2581un", "able", "\u2581to");
        int[] tokens = tokenizer.encode("unable to", EncodeOptions.PROMPT);
        assertThat(tokenizer.decode(tokens)).isEqualTo("unable to");
    }

    /** As llama.cpp does it: the longest token first, at every character. */
    private static List<Integer> oneByOne(Vocabulary vocabulary, String word) {
        List<Integer> tokens = new ArrayList<>();
        for (int at = 0; at < word.length(); ) {
            int end = word.length();
            while (end > at && vocabulary.idOf(word.substring(at, end)) < 0) {
                end--;
            }
            if (end == at) {
                return List.of(UNKNOWN);
            }
            tokens.add(vocabulary.idOf(word.substring(at, end)));
            at = end;
        }
        return tokens;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void randomVocabulariesCutWordsAsOneTokenAfterTheOtherWould(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 100; round++) {
            Set<String> pieces = new LinkedHashSet<>(List.of("\u2581", "a", "b"));
            for (int i = 0; i < 20; i++) {
                pieces.add((random.nextBoolean() ? "\u2581" : "") + letters(random, 1 + random.nextInt(6)));
            }
            if (random.nextBoolean()) {
                pieces.remove("a");
            }
            Tokenizer tokenizer = tokenizer(pieces.toArray(String[]::new));
            String word = letters(random, 1 + random.nextInt(30));
            assertThat(tokenizer.encode(word, EncodeOptions.TEXT))
                    .as("seed %d, round %d: %s of %s", seed, round, word, pieces)
                    .containsExactly(
                            oneByOne(tokenizer.vocabulary(), "\u2581" + word).toArray(Integer[]::new));
        }
    }

    private static String letters(Random random, int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append((char) ('a' + random.nextInt(2)));
        }
        return text.toString();
    }

    /** Each of these tokens almost fits everywhere; looking for them one by one would not end within a test run. */
    @Test
    void hostilePiecesTakeTimeInProportionToTheText() {
        List<String> pieces = new ArrayList<>(List.of("\u2581", "a", "a".repeat(1 << 20) + "b"));
        for (int length = 2; length <= 300; length++) {
            pieces.add("a".repeat(length) + "c");
        }
        Tokenizer tokenizer = tokenizer(pieces.toArray(String[]::new));
        assertThat(tokenizer.encode("a".repeat(1_000_000), EncodeOptions.TEXT)).hasSize(1_000_001);
        assertThat(tokenizer.encode("a".repeat(500_000) + "x", EncodeOptions.TEXT))
                .containsExactly(UNKNOWN);
    }

    @Test
    void aVocabularyWithoutTheTokensThatTextsBeginAndEndWithIsRefused() {
        GgufMetadata without = metadata(List.of("a")).without(TokenizerKeys.SEP);
        assertThatThrownBy(() -> Tokenizer.of(without))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining(TokenizerKeys.SEP);
    }
}
