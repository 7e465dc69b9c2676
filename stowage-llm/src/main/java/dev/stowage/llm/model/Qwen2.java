package dev.stowage.llm.model;

import dev.stowage.models.TransformerShape;
import dev.stowage.tensor.RopeMode;

/** Qwen 2 and 2.5: as Llama, with biases for queries, keys and values, and halves of a head rotated together. */
final class Qwen2 implements Architecture {

    @Override
    public String name() {
        return "qwen2";
    }

    @Override
    public TransformerShape shape(HyperParameters numbers) {
        return numbers.transformer(RopeMode.NEOX, false, numbers.count("feed_forward_length"));
    }
}
