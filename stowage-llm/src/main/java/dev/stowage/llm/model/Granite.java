package dev.stowage.llm.model;

import dev.stowage.models.TransformerShape;
import dev.stowage.models.TransformerTraits;
import dev.stowage.tensor.RopeMode;

/**
 * Granite: a Llama that scales embeddings, what each layer adds, and logits; some have no rope.
 *
 * @param name {@code granite}, or {@code granitemoe} for those with experts
 */
record Granite(String name) implements Architecture {

    @Override
    public TransformerShape shape(HyperParameters numbers) {
        float residual = numbers.number("residual_scale", 0f);
        float embeddings = numbers.number("embedding_scale", 0f);
        return numbers.transformer(RopeMode.NORMAL, false, numbers.count("feed_forward_length"))
                .with(TransformerTraits.builder()
                        .scales(orOne(embeddings), orOne(residual), 1f / numbers.numberAbove0("logit_scale"))
                        .ropeStep(hasRope(numbers) ? 0 : 1)
                        .sharedExpert(numbers.count("expert_shared_feed_forward_length", 0))
                        .build());
    }

    /** Files of those with experts have the key too, which llama.cpp does not read there. */
    private boolean hasRope(HyperParameters numbers) {
        return !name.equals("granite") || numbers.flag("rope.scaling.finetuned", true);
    }

    /** A scale of 0 stands for none. */
    private static float orOne(float scale) {
        return scale == 0f ? 1f : scale;
    }
}
