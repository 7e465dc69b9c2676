package dev.stowage.llm.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.MalformedDataException;
import dev.stowage.gguf.GgufArray;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufType;
import dev.stowage.gguf.GgufValue;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class HostileMetadataTest {

    private static final GgufMetadata PAIRS = GgufMetadata.empty()
            .with(TokenizerKeys.MODEL, GgufValue.text("gpt2"))
            .with(TokenizerKeys.PRE, GgufValue.text("gpt-2"))
            .with(TokenizerKeys.TOKENS, Fixtures.texts("a", "b", "ab"))
            .with(TokenizerKeys.TYPES, Fixtures.wholes(1, 1, 1))
            .with(TokenizerKeys.MERGES, Fixtures.texts("a b"));

    private static final GgufMetadata PIECES = GgufMetadata.empty()
            .with(TokenizerKeys.MODEL, GgufValue.text("llama"))
            .with(TokenizerKeys.TOKENS, Fixtures.texts("<unk>", "<s>", "</s>", "a"))
            .with(TokenizerKeys.SCORES, new GgufValue.Array(GgufArray.ofFloats(0, 0, 0, 1)))
            .with(TokenizerKeys.TYPES, Fixtures.wholes(2, 3, 3, 1));

    private static void refused(GgufMetadata metadata, String... said) {
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> Tokenizer.of(metadata))
                .satisfies(thrown -> assertThat(thrown.getMessage()).contains(said));
    }

    @Test
    void theSmallVocabulariesAreSound() {
        assertThat(Tokenizer.of(PAIRS).encode("ab", EncodeOptions.TEXT)).containsExactly(2);
        assertThat(Tokenizer.of(PIECES).encode("a", EncodeOptions.PROMPT)).startsWith(1);
    }

    @Test
    void whatIsMissingIsNamed() {
        refused(PAIRS.without(TokenizerKeys.MODEL), TokenizerKeys.MODEL);
        refused(PAIRS.without(TokenizerKeys.TOKENS), TokenizerKeys.TOKENS);
        refused(PAIRS.without(TokenizerKeys.MERGES), TokenizerKeys.MERGES);
    }

    /** llama.cpp writes -1 for them into the models that it saves, in a type that has no sign. */
    @Test
    void specialTokensThatAreNotThereMayBeTheLargestNumber() {
        GgufMetadata saved = PIECES;
        for (String key : List.of(TokenizerKeys.BOS, TokenizerKeys.EOS, TokenizerKeys.EOT, TokenizerKeys.UNKNOWN)) {
            saved = saved.with(key, GgufValue.uint32(0xFFFF_FFFFL));
        }
        assertThat(Tokenizer.of(saved).encode("a b", EncodeOptions.PROMPT))
                .isEqualTo(Tokenizer.of(PIECES).encode("a b", EncodeOptions.PROMPT));
    }

    @Test
    void anUnknownKindIsRefused() {
        refused(PAIRS.with(TokenizerKeys.MODEL, GgufValue.text("rwkv")), TokenizerKeys.MODEL, "rwkv");
    }

    @Test
    void arraysMustHaveOneElementPerToken() {
        refused(PAIRS.with(TokenizerKeys.TYPES, Fixtures.wholes(1, 1)), TokenizerKeys.TYPES, "2", "3");
        refused(
                PIECES.with(TokenizerKeys.SCORES, new GgufValue.Array(GgufArray.ofFloats(0))),
                TokenizerKeys.SCORES,
                "1",
                "4");
    }

    @Test
    void arraysMustBeOfTheRightKind() {
        refused(PAIRS.with(TokenizerKeys.TOKENS, Fixtures.wholes(1)), TokenizerKeys.TOKENS);
        refused(PAIRS.with(TokenizerKeys.TOKENS, GgufValue.text("a")), TokenizerKeys.TOKENS);
        refused(PAIRS.with(TokenizerKeys.TYPES, Fixtures.texts("a", "b", "c")), TokenizerKeys.TYPES);
        refused(PAIRS.with(TokenizerKeys.MERGES, Fixtures.wholes(1)), TokenizerKeys.MERGES);
        refused(PIECES.with(TokenizerKeys.SCORES, Fixtures.texts("a", "b", "c", "d")), TokenizerKeys.SCORES);
        refused(PAIRS.with(TokenizerKeys.ADD_BOS, GgufValue.text("yes")), TokenizerKeys.ADD_BOS);
    }

    @Test
    void mergesMayOnlyNameTokensThatAreThere() {
        refused(PAIRS.with(TokenizerKeys.MERGES, Fixtures.texts("a b", "a x")), TokenizerKeys.MERGES, "1", "'x'");
        refused(PAIRS.with(TokenizerKeys.MERGES, Fixtures.texts("b a")), TokenizerKeys.MERGES, "'ba'");
        for (String wrong : List.of("", " ", "ab", "a ", " a")) {
            refused(PAIRS.with(TokenizerKeys.MERGES, Fixtures.texts(wrong)), TokenizerKeys.MERGES, "0");
        }
    }

    @Test
    void aTokenMayBeThereOnlyOnce() {
        refused(PAIRS.with(TokenizerKeys.TOKENS, Fixtures.texts("a", "b", "a")), TokenizerKeys.TOKENS, "'a'", "0", "2");
    }

    @Test
    void anEmptyVocabularyIsRefused() {
        refused(PAIRS.with(TokenizerKeys.TOKENS, Fixtures.texts()), TokenizerKeys.TOKENS);
    }

    @Test
    void idsMustBeThoseOfTokens() {
        for (String key : List.of(
                TokenizerKeys.BOS, TokenizerKeys.EOS, TokenizerKeys.EOT, TokenizerKeys.EOM, TokenizerKeys.UNKNOWN)) {
            refused(PAIRS.with(key, GgufValue.uint32(3)), key, "3");
            refused(PAIRS.with(key, new GgufValue.Whole(GgufType.INT32, -1)), key, "-1");
        }
    }

    @Test
    void aTokenThatIsToBeAddedMustBeNamed() {
        refused(PAIRS.with(TokenizerKeys.ADD_BOS, new GgufValue.Bool(true)), TokenizerKeys.BOS);
        refused(PAIRS.with(TokenizerKeys.ADD_EOS, new GgufValue.Bool(true)), TokenizerKeys.EOS);
    }

    @Test
    void scoresMustBeNumbers() {
        refused(
                PIECES.with(TokenizerKeys.SCORES, new GgufValue.Array(GgufArray.ofFloats(0, Float.NaN, 0, 0))),
                TokenizerKeys.SCORES,
                "1");
    }

    @Test
    void bytesMustBeWrittenAsBytes() {
        refused(PIECES.with(TokenizerKeys.TYPES, Fixtures.wholes(2, 3, 3, 6)), TokenizerKeys.TOKENS, "3", "'a'");
    }

    @Test
    void aCharacterWithoutATokenAndWithoutBytesIsUnknown() {
        GgufMetadata bare = PIECES.with(TokenizerKeys.ADD_SPACE_PREFIX, new GgufValue.Bool(false));

        assertThat(Tokenizer.of(bare).encode("a\u00e9a", EncodeOptions.TEXT)).containsExactly(3, 0, 3);
    }

    @Test
    void whateverTheMetadataSaysItEncodesOrIsRefused() {
        List<String> keys = List.of(
                TokenizerKeys.MODEL,
                TokenizerKeys.PRE,
                TokenizerKeys.TOKENS,
                TokenizerKeys.SCORES,
                TokenizerKeys.TYPES,
                TokenizerKeys.MERGES,
                TokenizerKeys.BOS,
                TokenizerKeys.UNKNOWN,
                TokenizerKeys.ADD_BOS,
                TokenizerKeys.ADD_SPACE_PREFIX);
        int refusals = 0;
        for (long seed = 0; seed < 2000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            GgufMetadata metadata = random.nextBoolean() ? PAIRS : PIECES;
            for (int i = random.nextInt(3); i >= 0; i--) {
                metadata = metadata.with(keys.get(random.nextInt(keys.size())), value(random));
            }
            try {
                Tokenizer tokenizer = Tokenizer.of(metadata);
                int[] tokens = tokenizer.encode("ab \u00e9 <s>", EncodeOptions.CHAT);
                assertThat(Arrays.stream(tokens).boxed())
                        .as("seed %d", seed)
                        .allMatch(id -> id >= 0 && id < tokenizer.vocabulary().size());
            } catch (MalformedDataException e) {
                assertThat(e.getMessage()).as("seed %d", seed).contains("tokenizer.ggml.");
                refusals++;
            }
        }
        assertThat(refusals).isBetween(500, 1999);
    }

    private static GgufValue value(SplittableRandom random) {
        return switch (random.nextInt(9)) {
            case 0 -> GgufValue.text(List.of("gpt2", "llama", "qwen2", "").get(random.nextInt(4)));
            case 1 -> new GgufValue.Bool(random.nextBoolean());
            case 2 -> GgufValue.uint32(random.nextInt(5));
            case 3 -> new GgufValue.Whole(GgufType.INT64, random.nextLong());
            case 4 -> Fixtures.texts("a", "b", "ab", "<s>");
            case 5 -> Fixtures.texts("a b", "", "b a");
            case 6 -> Fixtures.wholes(random.nextInt(-1, 8), random.nextInt(-1, 8), random.nextInt(-1, 8));
            case 7 -> new GgufValue.Array(GgufArray.ofFloats(1, random.nextInt(), 0, Float.NEGATIVE_INFINITY));
            default -> new GgufValue.Array(GgufArray.ofDoubles(1, 2, 3));
        };
    }
}
