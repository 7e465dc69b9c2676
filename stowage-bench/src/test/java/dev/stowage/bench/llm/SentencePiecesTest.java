package dev.stowage.bench.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.gguf.GgufMetadata;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SentencePiecesTest {

    private static final int FIRST_NORMAL = 259;

    private static List<String> tokens(int size) {
        return SentencePieces.ofSize(size).array("tokenizer.ggml.tokens").texts();
    }

    @ParameterizedTest
    @ValueSource(ints = {SentencePieces.LEAST, 512, 32_000})
    void hasAsManyTokensAsWantedAndNoneTwice(int size) {
        assertThat(tokens(size)).hasSize(size).doesNotHaveDuplicates();
    }

    @Test
    void lessThanOneForEveryCharacterIsRefused() {
        assertThatThrownBy(() -> SentencePieces.ofSize(SentencePieces.LEAST - 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(Integer.toString(SentencePieces.LEAST));
    }

    @Test
    void everyLongTokenIsTwoOthersJoined() {
        List<String> tokens = tokens(32_000);
        Set<String> known = new HashSet<>(tokens);

        assertThat(tokens.subList(FIRST_NORMAL, tokens.size()))
                .filteredOn(token -> token.length() > 1)
                .isNotEmpty()
                .allMatch(token -> IntStream.range(1, token.length())
                        .anyMatch(at -> known.contains(token.substring(0, at)) && known.contains(token.substring(at))));
    }

    @Test
    void everyByteHasAToken() {
        assertThat(tokens(512)).contains("<0x00>", "<0x0A>", "<0xFF>");
    }

    @Test
    void tokensOfEachKindAreMarkedAsSuch() {
        GgufMetadata metadata = SentencePieces.ofSize(400);
        int[] types = metadata.array("tokenizer.ggml.token_type").ints();

        assertThat(types).hasSize(400).startsWith(2, 3, 3, 6).endsWith(1);
    }

    @Test
    void earlierTokensScoreHigher() {
        float[] scores =
                SentencePieces.ofSize(400).array("tokenizer.ggml.scores").floats();

        assertThat(IntStream.range(FIRST_NORMAL + 1, scores.length)).allMatch(i -> scores[i] < scores[i - 1]);
    }
}
