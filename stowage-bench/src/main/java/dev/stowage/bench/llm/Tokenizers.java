package dev.stowage.bench.llm;

import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufValue;
import java.nio.file.Path;
import java.util.Map;

/** The entries of the metadata that describe the tokenizer of a model. */
final class Tokenizers {

    static final String PREFIX = "tokenizer.";
    static final String TOKENS = PREFIX + "ggml.tokens";

    private Tokenizers() {}

    /** Those of another model. */
    static GgufMetadata from(Path model) {
        GgufMetadata all = GgufContents.read(model).metadata();
        // Asked for here, so that a model without any is refused by its name.
        all.array(TOKENS);
        GgufMetadata tokenizer = GgufMetadata.empty();
        for (Map.Entry<String, GgufValue> entry : all.entries().entrySet()) {
            if (entry.getKey().startsWith(PREFIX)) {
                tokenizer = tokenizer.with(entry.getKey(), entry.getValue());
            }
        }
        return tokenizer;
    }

    /** How many tokens there are. */
    static int vocabulary(GgufMetadata tokenizer) {
        return tokenizer.array(TOKENS).size();
    }
}
