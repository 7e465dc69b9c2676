package dev.stowage.llm.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RoundTripTest {

    /**
     * Without what SentencePiece does not give back: U+2581, which is a blank to it, and the special tokens of the
     * vocabulary here, such as two blanks, after which text gets a blank before it.
     */
    private static String sayable(String text) {
        return text.replace("\u2581", "_")
                .replaceAll("^ +", "")
                .replaceAll(" +", " ")
                .replace("the", "The");
    }

    @Test
    void textThatIsEncodedAndDecodedIsTheSame() {
        Map<String, Tokenizer> all = Fixtures.all();
        for (long seed = 0; seed < 500; seed++) {
            String text = RandomText.of(new SplittableRandom(seed));
            for (Map.Entry<String, Tokenizer> each : all.entrySet()) {
                boolean pieces =
                        each.getKey().equals("sentencepiece") || each.getKey().equals("bare");
                String sent = pieces ? sayable(text) : text;
                int[] tokens = each.getValue().encode(sent, EncodeOptions.PROMPT);
                assertThat(each.getValue().decode(tokens))
                        .as("%s, seed %d", each.getKey(), seed)
                        .isEqualTo(sent);
            }
        }
    }

    @Test
    void halfASurrogatePairBecomesTheReplacementCharacter() {
        Tokenizer tokenizer = Tokenizer.of(Fixtures.metadata("lexicon.gguf"));
        String text = "a\ud83db\ude00c\ud83d\ude00\ud83d";

        assertThat(tokenizer.decode(tokenizer.encode(text, EncodeOptions.TEXT)))
                .isEqualTo("a\ufffdb\ufffdc\ud83d\ude00\ufffd");
    }

    @Test
    void longTextsWithoutABorderAreEncodedToo() {
        String text = "harbor".repeat(50_000);
        Fixtures.all()
                .forEach((name, tokenizer) -> assertThat(tokenizer.decode(tokenizer.encode(text, EncodeOptions.PROMPT)))
                        .as(name)
                        .isEqualTo(text));
    }

    @Test
    void theEmptyTextHasOnlyTheTokenThatBeginsIt() {
        Tokenizer tokenizer = Tokenizer.of(Fixtures.metadata("sentencepiece.gguf"));

        assertThat(tokenizer.encode("", EncodeOptions.TEXT)).isEmpty();
        assertThat(tokenizer.encode("", EncodeOptions.PROMPT))
                .containsExactly(tokenizer.vocabulary().bos().orElseThrow());
    }
}
