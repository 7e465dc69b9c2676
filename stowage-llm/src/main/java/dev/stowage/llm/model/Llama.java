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
        return numbers.transformer(RopeMode.NORMAL, false, numbers.count("feed_forward_length"));
    }
}
