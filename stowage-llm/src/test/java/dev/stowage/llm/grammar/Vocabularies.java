package dev.stowage.llm.grammar;

import dev.stowage.gguf.GgufArray;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufType;
import dev.stowage.gguf.GgufValue;
import dev.stowage.llm.tokenizer.Tokenizer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Vocabularies made for tests, in the alphabet of GPT-2, with a token for every byte and one that ends a text. */
final class Vocabularies {

    private static final int CONTROL = 3;

    private Vocabularies() {}

    /** Every byte, and these sequences of bytes, each once. The last token ends a text. */
    static Tokenizer of(List<byte[]> sequences) {
        Set<String> texts = new LinkedHashSet<>();
        for (int b = 0; b < 256; b++) {
            texts.add(text(new byte[] {(byte) b}));
        }
        sequences.forEach(each -> texts.add(text(each)));
        List<String> all = new ArrayList<>(texts);
        all.add("<end>");
        long[] types = new long[all.size()];
        Arrays.fill(types, 1);
        types[all.size() - 1] = CONTROL;
        return Tokenizer.of(GgufMetadata.empty()
                .with("tokenizer.ggml.model", GgufValue.text("gpt2"))
                .with("tokenizer.ggml.pre", GgufValue.text("gpt-2"))
                .with("tokenizer.ggml.tokens", new GgufValue.Array(GgufArray.ofTexts(all)))
                .with("tokenizer.ggml.token_type", new GgufValue.Array(GgufArray.ofWholes(GgufType.INT32, types)))
                .with("tokenizer.ggml.merges", new GgufValue.Array(GgufArray.ofTexts(List.of())))
                .with("tokenizer.ggml.eos_token_id", GgufValue.uint32(all.size() - 1)));
    }

    /** Random pieces of texts, cut between bytes and not between characters. */
    static Tokenizer piecesOf(List<String> texts, int count, Random random) {
        List<byte[]> pieces = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] bytes = texts.get(random.nextInt(texts.size())).getBytes(StandardCharsets.UTF_8);
            int from = random.nextInt(bytes.length);
            int to = Math.min(bytes.length, from + 2 + random.nextInt(5));
            pieces.add(Arrays.copyOfRange(bytes, from, to));
        }
        return of(pieces);
    }

    private static String text(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte b : bytes) {
            text.append(character(Byte.toUnsignedInt(b)));
        }
        return text.toString();
    }

    /** What GPT-2 writes for a byte: itself where that is printable, else the next free character from 256 on. */
    private static char character(int b) {
        int free = 256;
        for (int each = 0; each < 256; each++) {
            boolean printable = (each >= '!' && each <= '~') || (each >= 0xA1 && each != 0xAD);
            if (each == b) {
                return (char) (printable ? b : free);
            }
            free += printable ? 0 : 1;
        }
        throw new AssertionError(b);
    }
}
