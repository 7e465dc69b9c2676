package dev.stowage.bench.llm;

import dev.stowage.gguf.GgufArray;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufType;
import dev.stowage.gguf.GgufValue;
import dev.stowage.llm.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * A made-up vocabulary of byte pairs, of any size, with what makes grammars expensive: many words, numbers, runs of
 * punctuation as in JSON, and words with such punctuation before and after them.
 */
final class GrammarVocabulary {

    private static final List<String> MARKS = List.of("{", "}", "[", "]", "\"", ":", ",", ".");
    private static final String LETTERS = "etaoinshrdlucmwfgypbvkjxqz";
    private static final int BYTES = 256;
    private static final int FIRST_FREE = 256;
    private static final int CONTROL = 3;
    private static final char SPACE = 'Ġ';

    private GrammarVocabulary() {}

    /** A tokenizer with so many tokens. */
    static Tokenizer ofSize(int size) {
        Set<String> tokens = new LinkedHashSet<>();
        int free = FIRST_FREE;
        for (int b = 0; b < BYTES; b++) {
            boolean printable = (b >= '!' && b <= '~') || (b >= 0xA1 && b != 0xAD);
            tokens.add(String.valueOf((char) (printable ? b : free++)));
        }
        for (int i = 0; i < 1000; i++) {
            tokens.add(String.valueOf(i));
        }
        List<String> marks = new ArrayList<>(List.of(""));
        for (int i = 0; i < marks.size() && marks.get(i).length() < 3; i++) {
            for (String mark : MARKS) {
                marks.add(marks.get(i) + mark);
                tokens.add(marks.getLast());
            }
        }
        Random random = new Random(1);
        while (tokens.size() < size - 1) {
            String word = word(random);
            switch (random.nextInt(20)) {
                case 0 -> tokens.add(marks.get(random.nextInt(marks.size())) + word);
                case 1 -> tokens.add(word + marks.get(random.nextInt(marks.size())));
                default -> tokens.add(random.nextBoolean() ? SPACE + word : word);
            }
        }
        List<String> all = new ArrayList<>(tokens).subList(0, size - 1);
        long[] types = new long[size];
        Arrays.fill(types, 1);
        types[size - 1] = CONTROL;
        List<String> texts = new ArrayList<>(all);
        texts.add("<end>");
        return Tokenizer.of(GgufMetadata.empty()
                .with(Tokenizers.PREFIX + "ggml.model", GgufValue.text("gpt2"))
                .with(Tokenizers.PREFIX + "ggml.pre", GgufValue.text("gpt-2"))
                .with(Tokenizers.TOKENS, new GgufValue.Array(GgufArray.ofTexts(texts)))
                .with(
                        Tokenizers.PREFIX + "ggml.token_type",
                        new GgufValue.Array(GgufArray.ofWholes(GgufType.INT32, types)))
                .with(Tokenizers.PREFIX + "ggml.merges", new GgufValue.Array(GgufArray.ofTexts(List.of())))
                .with(Tokenizers.PREFIX + "ggml.eos_token_id", GgufValue.uint32(size - 1)));
    }

    private static String word(Random random) {
        int length = 2 + random.nextInt(8);
        StringBuilder word = new StringBuilder();
        for (int i = 0; i < length; i++) {
            // The least of two: common letters are more frequent.
            word.append(LETTERS.charAt(Math.min(random.nextInt(LETTERS.length()), random.nextInt(LETTERS.length()))));
        }
        return word.toString();
    }
}
