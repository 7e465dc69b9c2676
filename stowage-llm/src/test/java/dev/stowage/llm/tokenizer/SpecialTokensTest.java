package dev.stowage.llm.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufValue;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpecialTokensTest {

    private static final GgufMetadata METADATA = GgufMetadata.empty()
            .with(TokenizerKeys.MODEL, GgufValue.text("gpt2"))
            .with(TokenizerKeys.PRE, GgufValue.text("gpt-2"))
            .with(
                    TokenizerKeys.TOKENS,
                    Fixtures.texts("a", "b", "c", "<", ">", "<a>", "<a><b>", "bb", "bbb", "<|im_end|>", "</s>", "|"))
            .with(TokenizerKeys.TYPES, Fixtures.wholes(1, 1, 1, 1, 1, 3, 3, 4, 4, 1, 1, 1))
            .with(TokenizerKeys.MERGES, Fixtures.texts());

    private static final Tokenizer TOKENIZER = Tokenizer.of(METADATA);

    private static List<String> tokens(String text, EncodeOptions options) {
        return Arrays.stream(TOKENIZER.encode(text, options))
                .mapToObj(TOKENIZER.vocabulary()::text)
                .toList();
    }

    @Test
    void theLongestOneThatFitsIsTaken() {
        assertThat(tokens("c<a><b>c<a>", EncodeOptions.CHAT)).containsExactly("c", "<a><b>", "c", "<a>");
    }

    @Test
    void controlTokensInTextAreTextUnlessTheyAreToBeParsed() {
        assertThat(tokens("<a>", EncodeOptions.TEXT)).containsExactly("<", "a", ">");
    }

    @Test
    void tokensOfTheUserAreAlwaysCutOut() {
        assertThat(tokens("abbbbbc", EncodeOptions.TEXT)).containsExactly("a", "bbb", "bb", "c");
    }

    @Test
    void tokensThatEndATurnAreControlTokensWhateverTheFileSays() {
        int end = TOKENIZER.vocabulary().find("<|im_end|>").orElseThrow();

        assertThat(TOKENIZER.vocabulary().type(end)).isEqualTo(TokenType.CONTROL);
        assertThat(TOKENIZER.vocabulary().eot()).hasValue(end);
        assertThat(TOKENIZER.vocabulary().isEnd(end)).isTrue();
        assertThat(TOKENIZER.vocabulary().isEnd(0)).isFalse();
    }

    @Test
    void textIsFramedWhereTheMetadataSaysSo() {
        Tokenizer framed = Tokenizer.of(METADATA.with(TokenizerKeys.BOS, GgufValue.uint32(5))
                .with(TokenizerKeys.EOS, GgufValue.uint32(10))
                .with(TokenizerKeys.ADD_BOS, new GgufValue.Bool(true))
                .with(TokenizerKeys.ADD_EOS, new GgufValue.Bool(true)));

        assertThat(framed.encode("a", EncodeOptions.PROMPT)).containsExactly(5, 0, 10);
        assertThat(framed.encode("a", EncodeOptions.TEXT)).containsExactly(0);
    }
}
