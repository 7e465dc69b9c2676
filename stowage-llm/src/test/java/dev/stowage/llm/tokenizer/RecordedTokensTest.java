package dev.stowage.llm.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tokens and texts that llama.cpp gave, for real prompts and for random ones. */
class RecordedTokensTest {

    private final Map<List<String>, Tokenizer> made = new HashMap<>();

    private Tokenizer tokenizer(String file, String key, String value) {
        return made.computeIfAbsent(List.of(file, key, value), _ -> Fixtures.tokenizer(file, key, value));
    }

    @Test
    void promptsOfTheModelsHaveTheTokensOfTheGoldenFile() {
        for (String[] row : Fixtures.table("golden.tsv")) {
            Tokenizer tokenizer = tokenizer("lexicon.gguf", TokenizerKeys.PRE, row[1]);
            String prompt = Fixtures.text(row[2]);
            assertThat(tokenizer.encode(prompt, EncodeOptions.PROMPT))
                    .as("'%s' for %s", prompt, row[0])
                    .isEqualTo(Fixtures.ids(row[3]));
        }
    }

    @Test
    void answersOfTheModelsReadAsInTheGoldenFile() {
        for (String[] row : Fixtures.table("golden.tsv")) {
            Tokenizer tokenizer = tokenizer("lexicon.gguf", TokenizerKeys.PRE, row[1]);
            assertThat(tokenizer.decodeContinuation(Fixtures.ids(row[4])))
                    .as("the answer of %s to '%s'", row[0], row[2])
                    .isEqualTo(Fixtures.text(row[5]));
        }
    }

    @Test
    void randomTextsHaveTheTokensThatWereRecorded() {
        for (String[] row : Fixtures.table("recorded.tsv")) {
            Tokenizer tokenizer = tokenizer(row[0], row[1], row[2]);
            EncodeOptions options = new EncodeOptions(row[3].startsWith("add"), row[3].endsWith("parse"));
            assertThat(tokenizer.encode(Fixtures.text(row[4]), options))
                    .as("%s with %s = %s, %s: %s", row[0], row[1], row[2], options, row[4])
                    .isEqualTo(Fixtures.ids(row[5]));
        }
    }

    @Test
    void recordedTokensReadAsRecorded() {
        for (String[] row : Fixtures.table("recorded.tsv")) {
            Tokenizer tokenizer = tokenizer(row[0], row[1], row[2]);
            assertThat(tokenizer.decodeContinuation(Fixtures.ids(row[5])))
                    .as("%s with %s = %s: %s", row[0], row[1], row[2], row[4])
                    .isEqualTo(Fixtures.text(row[6]));
        }
    }
}
