package dev.stowage.bench.llm;

import dev.stowage.gguf.GgufArray;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufType;
import dev.stowage.gguf.GgufValue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * A made-up vocabulary of the SentencePiece kind, of any size: three tokens for control, one for every byte, and then
 * single characters, pairs and triples of letters, common letters first, with and without a space before them. Each is
 * one that the algorithm can get to by joining two others, so that text really is cut into long pieces.
 */
final class SentencePieces {

    private static final String LETTERS = "etaoinshrdlucmwfgypbvkjxqz";
    private static final char SPACE = '▁';
    private static final int BYTES = 256;

    private static final int NORMAL = 1;
    private static final int UNKNOWN = 2;
    private static final int CONTROL = 3;
    private static final int BYTE = 6;

    /** Fewer would leave no room for single characters. */
    static final int LEAST = 3 + BYTES + 1 + ('~' - '!' + 1);

    private final int size;
    private final List<String> tokens = new ArrayList<>();
    private final List<Integer> types = new ArrayList<>();

    private SentencePieces(int size) {
        this.size = size;
        add("<unk>", UNKNOWN);
        add("<s>", CONTROL);
        add("</s>", CONTROL);
        for (int value = 0; value < BYTES; value++) {
            add(String.format(Locale.ROOT, "<0x%02X>", value), BYTE);
        }
        add(String.valueOf(SPACE), NORMAL);
        for (char character = '!'; character <= '~'; character++) {
            add(String.valueOf(character), NORMAL);
        }
        addWords();
    }

    /** The entries of a tokenizer with so many tokens, from {@value #LEAST} on. */
    static GgufMetadata ofSize(int size) {
        if (size < LEAST) {
            throw new IllegalArgumentException("a vocabulary has at least " + LEAST + " tokens, not " + size);
        }
        SentencePieces pieces = new SentencePieces(size);
        return GgufMetadata.empty()
                .with(Tokenizers.PREFIX + "ggml.model", GgufValue.text("llama"))
                .with(Tokenizers.PREFIX + "ggml.pre", GgufValue.text("default"))
                .with(Tokenizers.TOKENS, new GgufValue.Array(GgufArray.ofTexts(pieces.tokens)))
                .with(Tokenizers.PREFIX + "ggml.scores", new GgufValue.Array(GgufArray.ofFloats(pieces.scores())))
                .with(Tokenizers.PREFIX + "ggml.token_type", new GgufValue.Array(pieces.types()))
                .with(Tokenizers.PREFIX + "ggml.bos_token_id", GgufValue.uint32(1))
                .with(Tokenizers.PREFIX + "ggml.eos_token_id", GgufValue.uint32(2))
                .with(Tokenizers.PREFIX + "ggml.unknown_token_id", GgufValue.uint32(0))
                .with(Tokenizers.PREFIX + "ggml.add_bos_token", new GgufValue.Bool(true))
                .with(Tokenizers.PREFIX + "ggml.add_eos_token", new GgufValue.Bool(false));
    }

    private void addWords() {
        List<String> words = List.of("");
        while (tokens.size() < size) {
            words = longer(words);
            if (words.getFirst().length() > 1) {
                words.forEach(word -> add(word, NORMAL));
            }
            words.forEach(word -> add(SPACE + word, NORMAL));
        }
    }

    /** Each word followed by each letter; those of common letters first. */
    private static List<String> longer(List<String> words) {
        List<String> longer = new ArrayList<>();
        for (String word : words) {
            for (int i = 0; i < LETTERS.length(); i++) {
                longer.add(word + LETTERS.charAt(i));
            }
        }
        longer.sort(Comparator.comparingInt(
                word -> word.chars().map(LETTERS::indexOf).sum()));
        return longer;
    }

    private void add(String token, int type) {
        if (tokens.size() < size) {
            tokens.add(token);
            types.add(type);
        }
    }

    /** The earlier a token, the sooner it is joined. */
    private float[] scores() {
        float[] scores = new float[size];
        for (int i = 3 + BYTES; i < size; i++) {
            scores[i] = 3 + BYTES - i;
        }
        return scores;
    }

    private GgufArray types() {
        return GgufArray.ofWholes(
                GgufType.INT32, types.stream().mapToLong(Integer::longValue).toArray());
    }
}
