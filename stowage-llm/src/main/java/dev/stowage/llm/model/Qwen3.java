package dev.stowage.llm.model;

import dev.stowage.models.TransformerShape;
import dev.stowage.tensor.RopeMode;

/** Qwen 3: as Qwen 2, with a norm on each head of queries and keys in place of biases. */
final class Qwen3 implements Architecture {

    @Override
    public String name() {
        return "qwen3";
    }

    @Override
    public TransformerShape shape(HyperParameters numbers) {
        return numbers.transformer(RopeMode.NEOX, true, numbers.count("feed_forward_length"));
    }
}
