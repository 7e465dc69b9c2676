package dev.stowage.llm.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.gguf.GgufArray;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufValue;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Joining with a queue, beside joining as it is defined: look at all pairs, join the best, begin again. */
class PairMergerTest {

    private static String letters(SplittableRandom random, int length) {
        return random.ints(length, 'a', 'd').mapToObj(Character::toString).collect(Collectors.joining());
    }

    private interface Urgency {
        /** The lower, the earlier; the most if two symbols do not join. */
        double of(String left, String right);
    }

    private static List<String> joined(String text, Urgency urgency) {
        List<String> symbols = text.codePoints().mapToObj(Character::toString).collect(Collectors.toList());
        while (true) {
            int best = -1;
            double least = Double.MAX_VALUE;
            for (int i = 0; i + 1 < symbols.size(); i++) {
                double each = urgency.of(symbols.get(i), symbols.get(i + 1));
                if (each < least) {
                    best = i;
                    least = each;
                }
            }
            if (best < 0) {
                return symbols;
            }
            symbols.set(best, symbols.get(best) + symbols.remove(best + 1));
        }
    }

    private static List<String> tokens(GgufMetadata metadata, String text) {
        Tokenizer tokenizer = Tokenizer.of(metadata);
        List<String> texts = new ArrayList<>();
        for (int id : tokenizer.encode(text, EncodeOptions.TEXT)) {
            texts.add(tokenizer.vocabulary().text(id));
        }
        return texts;
    }

    @Test
    void bytePairsJoinInTheOrderOfTheirRanks() {
        for (long seed = 0; seed < 300; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            SequencedSet<String> tokens = new LinkedHashSet<>(List.of("a", "b", "c"));
            List<String> merges = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                List<String> known = List.copyOf(tokens);
                String left = known.get(random.nextInt(known.size()));
                String right = known.get(random.nextInt(known.size()));
                merges.add(left + " " + right);
                tokens.add(left + right);
            }
            GgufMetadata metadata = GgufMetadata.empty()
                    .with(TokenizerKeys.MODEL, GgufValue.text("gpt2"))
                    .with(TokenizerKeys.PRE, GgufValue.text("gpt-2"))
                    .with(TokenizerKeys.TOKENS, Fixtures.texts(tokens.toArray(String[]::new)))
                    .with(TokenizerKeys.MERGES, Fixtures.texts(merges.toArray(String[]::new)));
            String text = letters(random, random.nextInt(60));

            assertThat(tokens(metadata, text)).as("seed %d", seed).isEqualTo(joined(text, (left, right) -> {
                int rank = merges.indexOf(left + " " + right);
                return rank < 0 ? Double.MAX_VALUE : rank;
            }));
        }
    }

    @Test
    void piecesJoinInTheOrderOfTheirScores() {
        for (long seed = 0; seed < 300; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            SequencedSet<String> tokens = new LinkedHashSet<>(List.of("<unk>", "<s>", "</s>", "a", "b", "c"));
            for (int i = 0; i < 20; i++) {
                tokens.add(letters(random, random.nextInt(2, 6)));
            }
            List<String> known = List.copyOf(tokens);
            float[] scores = new float[known.size()];
            for (int i = 0; i < scores.length; i++) {
                // Few different ones, of both signs and both zeros, so that ties are common.
                scores[i] = random.nextInt(-3, 4) * (random.nextBoolean() ? 1f : 0.5f);
            }
            GgufMetadata metadata = GgufMetadata.empty()
                    .with(TokenizerKeys.MODEL, GgufValue.text("llama"))
                    .with(TokenizerKeys.TOKENS, Fixtures.texts(known.toArray(String[]::new)))
                    .with(TokenizerKeys.SCORES, new GgufValue.Array(GgufArray.ofFloats(scores)))
                    .with(TokenizerKeys.ADD_SPACE_PREFIX, new GgufValue.Bool(false));
            String text = letters(random, random.nextInt(60));

            assertThat(tokens(metadata, text)).as("seed %d", seed).isEqualTo(joined(text, (left, right) -> {
                int id = known.indexOf(left + right);
                return id < 0 ? Double.MAX_VALUE : -scores[id];
            }));
        }
    }
}
