package dev.stowage.llm.model;

import dev.stowage.models.TransformerShape;
import dev.stowage.models.TransformerTraits;
import dev.stowage.tensor.RopeMode;

/** SmolLM 3: a Llama in which every fourth layer has no rope. */
final class SmolLm3 implements Architecture {

    @Override
    public String name() {
        return "smollm3";
    }

    @Override
    public TransformerShape shape(HyperParameters numbers) {
        return numbers.transformer(RopeMode.NORMAL, false, numbers.count("feed_forward_length"))
                .with(TransformerTraits.builder().ropeStep(4).build());
    }
}
