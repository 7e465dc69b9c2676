package dev.stowage.bench.llm;

import dev.stowage.gguf.GgufArray;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufType;
import dev.stowage.gguf.GgufValue;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A made-up vocabulary of the WordPiece kind, of any size: five tokens for control, single characters, some of them with
 * accents or of other scripts, and then pairs and triples of letters. What begins a word is written with U+2581 before it.
 */
final class WordPieces {

    private static final String LETTERS = "etaoinshrdlucmwfgypbvkjxqz";
    private static final String OTHERS = "éüñßαβжш中文字。、";
    private static final char BEGIN = '\u2581';
    private static final List<String> CONTROLS = List.of("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]");

    private static final int NORMAL = 1;
    private static final int CONTROL = 3;

    /** Fewer would leave no room for single characters. */
    static final int LEAST = 256;

    private WordPieces() {}

    /** The entries of a tokenizer with so many tokens, from {@value #LEAST} on. */
    static GgufMetadata ofSize(int size) {
        if (size < LEAST) {
            throw new IllegalArgumentException("a vocabulary has at least " + LEAST + " tokens, not " + size);
        }
        List<String> tokens = tokens().stream().limit(size).toList();
        long[] types = new long[tokens.size()];
        for (int id = 0; id < types.length; id++) {
            types[id] = id < CONTROLS.size() ? CONTROL : NORMAL;
        }
        return GgufMetadata.empty()
                .with(Tokenizers.PREFIX + "ggml.model", GgufValue.text("bert"))
                .with(Tokenizers.PREFIX + "ggml.pre", GgufValue.text("default"))
                .with(Tokenizers.PREFIX + "ggml.token_type_count", GgufValue.uint32(2))
                .with(Tokenizers.TOKENS, new GgufValue.Array(GgufArray.ofTexts(tokens)))
                .with(
                        Tokenizers.PREFIX + "ggml.token_type",
                        new GgufValue.Array(GgufArray.ofWholes(GgufType.INT32, types)))
                .with(Tokenizers.PREFIX + "ggml.padding_token_id", GgufValue.uint32(0))
                .with(Tokenizers.PREFIX + "ggml.unknown_token_id", GgufValue.uint32(1))
                .with(Tokenizers.PREFIX + "ggml.bos_token_id", GgufValue.uint32(2))
                .with(Tokenizers.PREFIX + "ggml.cls_token_id", GgufValue.uint32(2))
                .with(Tokenizers.PREFIX + "ggml.seperator_token_id", GgufValue.uint32(3))
                .with(Tokenizers.PREFIX + "ggml.mask_token_id", GgufValue.uint32(4));
    }

    private static Set<String> tokens() {
        Set<String> tokens = new LinkedHashSet<>(CONTROLS);
        for (char character = '!'; character <= '~'; character++) {
            tokens.add(BEGIN + String.valueOf(character));
        }
        for (char character : (OTHERS + LETTERS + LETTERS.toUpperCase(Locale.ROOT) + "0123456789").toCharArray()) {
            tokens.add(BEGIN + String.valueOf(character));
            tokens.add(String.valueOf(character));
        }
        List<String> words = List.of("");
        for (int length = 1; length <= 3; length++) {
            words = longer(words);
            for (String word : words) {
                tokens.add(BEGIN + word);
                tokens.add(word);
            }
        }
        return tokens;
    }

    /** Each word followed by each letter, those with common letters first. */
    private static List<String> longer(List<String> words) {
        List<String> longer = new ArrayList<>();
        for (int i = 0; i < LETTERS.length(); i++) {
            for (String word : words) {
                longer.add(word + LETTERS.charAt(i));
            }
        }
        return longer;
    }
}
