package dev.stowage.llm.engine;

import dev.stowage.gguf.GgufMetadata;
import java.util.List;
import java.util.Optional;

/** How the states of a model after the tokens of a text become one vector for the text. */
public enum Pooling {
    /** Their mean. */
    MEAN,
    /** The state after the last token, which suits models that read from left to right. */
    LAST,
    /** The state after the first token, which models that read in both directions have for this. */
    CLS;

    /** By the number that files have for them; 0 stands for none. */
    private static final List<Optional<Pooling>> BY_NUMBER =
            List.of(Optional.empty(), Optional.of(MEAN), Optional.of(CLS), Optional.of(LAST));

    /** What the file of a model says it was trained for, if it does. */
    public static Optional<Pooling> of(GgufMetadata metadata) {
        String key = metadata.architecture() + ".pooling_type";
        long number = metadata.has(key) ? metadata.whole(key) : 0;
        return number < 0 || number >= BY_NUMBER.size() ? Optional.empty() : BY_NUMBER.get((int) number);
    }
}
