package dev.stowage.llm.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.MalformedDataException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class WordSplitterTest {

    /** The patterns as their makers published them, with cases written out. */
    private static final Map<String, String> PUBLISHED = Map.of(
            "gpt-2",
            "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
            "llama-bpe",
            "'[sStTmMdD]|'[rRvV][eE]|'[lL][lL]|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}"
                    + "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
            "qwen2",
            "'[sStTmMdD]|'[rRvV][eE]|'[lL][lL]|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}"
                    + "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+");

    private static List<String> words(String name, String text) {
        int[] characters = text.codePoints().toArray();
        List<String> words = new ArrayList<>();
        int from = 0;
        for (int end : WordSplitter.named(name).wordEnds(characters)) {
            words.add(new String(characters, from, end - from));
            from = end;
        }
        return words;
    }

    @Test
    void wordsAreThoseOfThePublishedPatterns() {
        PUBLISHED.forEach((name, pattern) -> {
            Pattern compiled = Pattern.compile(pattern, Pattern.UNICODE_CHARACTER_CLASS);
            for (long seed = 0; seed < 2000; seed++) {
                String text = RandomText.of(new SplittableRandom(seed));
                List<String> expected = new ArrayList<>();
                Matcher matcher = compiled.matcher(text);
                while (matcher.find()) {
                    expected.add(matcher.group());
                }
                assertThat(words(name, text)).as("%s, seed %d", name, seed).isEqualTo(expected);
            }
        });
    }

    @Test
    void smollmTakesEachDigitApart() {
        assertThat(words("smollm", "in 1984, yes")).containsExactly("in", " ", "1", "9", "8", "4", ",", " yes");
    }

    @Test
    void falconTakesThreeDigitsAtATime() {
        assertThat(words("falcon", "12345 a+b")).containsExactly("123", "45", " a", "+", "b");
    }

    @Test
    void anUnknownNameIsRefusedWithTheOnesThatAreKnown() {
        assertThatExceptionOfType(MalformedDataException.class)
                .isThrownBy(() -> WordSplitter.named("klingon"))
                .withMessageContaining(TokenizerKeys.PRE)
                .withMessageContaining("klingon")
                .withMessageContaining("llama-bpe");
    }
}
