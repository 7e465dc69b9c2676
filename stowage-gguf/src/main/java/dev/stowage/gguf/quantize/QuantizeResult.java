package dev.stowage.gguf.quantize;

import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.TensorSpec;
import java.util.SequencedMap;

/**
 * What a model was and what it became.
 *
 * @param source what was read
 * @param targets what was written, by name
 */
public record QuantizeResult(GgufContents source, SequencedMap<String, TensorSpec> targets) {

    /** The bytes of all tensors that were written. */
    public long byteSize() {
        return targets.values().stream().mapToLong(TensorSpec::byteSize).sum();
    }

    /** How many bits a parameter takes on average; 0 for a model without any. */
    public double bitsPerParameter() {
        return source.parameters() == 0 ? 0 : 8.0 * byteSize() / source.parameters();
    }
}
