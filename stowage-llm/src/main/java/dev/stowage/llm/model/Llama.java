package dev.stowage.llm.model;

import dev.stowage.models.TransformerShape;
import dev.stowage.tensor.RopeMode;

/** Llama 1 to 3, Mistral, TinyLlama, SmolLM and their relatives, and Mixtral, which chooses among experts. */
final class Llama implements Architecture {

    @Override
    public String name() {
        return "llama";
    }

    @Override
    public TransformerShape shape(HyperParameters numbers) {
        TransformerShape shape = numbers.transformer(RopeMode.NORMAL, false, numbers.count("feed_forward_length"));
        if (shape.rope().dimensions() > 0) {
            numbers.problems()
                    .add(numbers.key("rope.dimension_count") + " is "
                            + shape.rope().dimensions() + ", but a Llama rotates all " + shape.headSize()
                            + " elements of its heads by position");
        }
        return shape;
    }
}
