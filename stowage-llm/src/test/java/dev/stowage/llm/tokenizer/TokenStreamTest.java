package dev.stowage.llm.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.AccessException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TokenStreamTest {

    private static int byteToken(Tokenizer tokenizer, int b) {
        return tokenizer
                .vocabulary()
                .find(String.valueOf(ByteAlphabet.letter(b)))
                .orElseThrow();
    }

    @Test
    void whatComesOutTokenByTokenIsWhatComesOutAtOnce() {
        Map<String, Tokenizer> all = Fixtures.all();
        for (long seed = 0; seed < 300; seed++) {
            for (Map.Entry<String, Tokenizer> each : all.entrySet()) {
                SplittableRandom random = new SplittableRandom(seed);
                Tokenizer tokenizer = each.getValue();
                int size = tokenizer.vocabulary().size();
                int[] tokens = random.ints(random.nextInt(40), 0, size).toArray();
                TokenStream stream = tokenizer.stream();
                StringBuilder text = new StringBuilder();
                for (int token : tokens) {
                    text.append(stream.next(token));
                }
                assertThat(text.append(stream.finish()))
                        .as("%s, seed %d", each.getKey(), seed)
                        .hasToString(tokenizer.decodeContinuation(tokens));
            }
        }
    }

    @Test
    void bytesInAnyOrderReadAsAllOfThemAtOnce() {
        Tokenizer tokenizer = Tokenizer.of(Fixtures.metadata("lexicon.gguf"));
        int[] likely = {0x20, 0x41, 0x80, 0xA0, 0xBF, 0xC0, 0xC3, 0xE0, 0xE2, 0xED, 0xF0, 0xF4, 0xF5, 0xFF};
        for (long seed = 0; seed < 2000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] bytes = new byte[random.nextInt(12)];
            TokenStream stream = tokenizer.stream();
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) likely[random.nextInt(likely.length)];
                text.append(stream.next(byteToken(tokenizer, Byte.toUnsignedInt(bytes[i]))));
            }
            assertThat(text.append(stream.finish()))
                    .as("seed %d", seed)
                    .hasToString(new String(bytes, StandardCharsets.UTF_8));
        }
    }

    @Test
    void aCharacterComesOutWithTheTokenThatCompletesIt() {
        Tokenizer tokenizer = Tokenizer.of(Fixtures.metadata("lexicon.gguf"));
        TokenStream stream = tokenizer.stream();
        List<String> parts = new ArrayList<>();
        for (int b : new int[] {0xF0, 0x9F, 0x98, 0x80, 0xC3, 0xA9}) {
            parts.add(stream.next(byteToken(tokenizer, b)));
        }

        assertThat(parts).containsExactly("", "", "", "\ud83d\ude00", "", "\u00e9");
    }

    @Test
    void aCharacterThatIsNeverCompletedIsReplacedAtTheEnd() {
        Tokenizer tokenizer = Tokenizer.of(Fixtures.metadata("lexicon.gguf"));
        TokenStream stream = tokenizer.stream();

        assertThat(stream.next(byteToken(tokenizer, 0xF0))).isEmpty();
        assertThat(stream.finish()).isEqualTo("\ufffd");
        assertThat(stream.finish()).isEmpty();
    }

    @Test
    void controlTokensAreWrittenOnlyWhereTheyAreAskedFor() {
        Tokenizer tokenizer = Tokenizer.of(Fixtures.metadata("lexicon.gguf"));
        int end = tokenizer.vocabulary().eos().orElseThrow();

        assertThat(tokenizer.stream().next(end)).isEmpty();
        assertThat(tokenizer.streamWithSpecial().next(end))
                .isEqualTo(tokenizer.vocabulary().text(end));
    }

    @Test
    void tokensThatAreNoneAreRefused() {
        Tokenizer tokenizer = Tokenizer.of(Fixtures.metadata("lexicon.gguf"));
        for (int id : new int[] {-1, 2048, Integer.MAX_VALUE}) {
            assertThatExceptionOfType(AccessException.class)
                    .isThrownBy(() -> tokenizer.stream().next(id))
                    .withMessageContaining("token " + id)
                    .withMessageContaining("2048");
        }
    }
}
