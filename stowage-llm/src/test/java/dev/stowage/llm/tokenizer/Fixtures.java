package dev.stowage.llm.tokenizer;

import dev.stowage.gguf.GgufArray;
import dev.stowage.gguf.GgufHeader;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufType;
import dev.stowage.gguf.GgufValue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Vocabularies to test with, as files without tensors. {@code lexicon} is a real one; {@code crossing} has byte pairs
 * that cross every border between words, so that a word cut in the wrong place shows, and {@code sentencepiece} has
 * scores with many ties, bytes and special tokens.
 */
final class Fixtures {

    private Fixtures() {}

    static Path resource(String name) {
        try {
            return Path.of(new URI(Objects.requireNonNull(Fixtures.class.getResource(name), name)
                    .toString()));
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    static GgufMetadata metadata(String name) {
        return GgufHeader.read(resource(name)).metadata();
    }

    static Tokenizer tokenizer(String name, String key, String value) {
        boolean flag = value.equals("true") || value.equals("false");
        return Tokenizer.of(metadata(name)
                .with(key, flag ? new GgufValue.Bool(Boolean.parseBoolean(value)) : GgufValue.text(value)));
    }

    /** One tokenizer of each kind. */
    static Map<String, Tokenizer> all() {
        return Map.of(
                "lexicon", Tokenizer.of(metadata("lexicon.gguf")),
                "gpt-2", tokenizer("crossing.gguf", TokenizerKeys.PRE, "gpt-2"),
                "llama-bpe", tokenizer("crossing.gguf", TokenizerKeys.PRE, "llama-bpe"),
                "qwen2", tokenizer("crossing.gguf", TokenizerKeys.PRE, "qwen2"),
                "default", tokenizer("crossing.gguf", TokenizerKeys.PRE, "default"),
                "sentencepiece", tokenizer("sentencepiece.gguf", TokenizerKeys.ADD_SPACE_PREFIX, "true"),
                "bare", tokenizer("sentencepiece.gguf", TokenizerKeys.ADD_SPACE_PREFIX, "false"));
    }

    /** The lines of a file, cut at tabs. */
    static List<String[]> table(String name) {
        try {
            return Files.readAllLines(resource(name)).stream()
                    .map(line -> line.split("\t", -1))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static int[] ids(String field) {
        return field.isEmpty()
                ? new int[0]
                : Arrays.stream(field.split(" ", -1))
                        .mapToInt(Integer::parseInt)
                        .toArray();
    }

    /** Text whose characters beyond printable ASCII are written as in Java. */
    static String text(String field) {
        StringBuilder text = new StringBuilder();
        int at = 0;
        while (at < field.length()) {
            boolean escaped = field.charAt(at) == '\\';
            text.append(escaped ? (char) Integer.parseInt(field, at + 2, at + 6, 16) : field.charAt(at));
            at += escaped ? 6 : 1;
        }
        return text.toString();
    }

    static GgufValue texts(String... texts) {
        return new GgufValue.Array(GgufArray.ofTexts(List.of(texts)));
    }

    static GgufValue wholes(long... values) {
        return new GgufValue.Array(GgufArray.ofWholes(GgufType.INT32, values));
    }
}
