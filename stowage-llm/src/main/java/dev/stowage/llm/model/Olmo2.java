package dev.stowage.llm.model;

import dev.stowage.models.NormPlacement;
import dev.stowage.models.TransformerShape;
import dev.stowage.models.TransformerTraits;
import dev.stowage.tensor.RopeMode;

/** OLMo 2 and 3: norms after attention and network, and over all heads of queries and keys; OLMo 3 has windows. */
final class Olmo2 implements Architecture {

    @Override
    public String name() {
        return "olmo2";
    }

    @Override
    public TransformerShape shape(HyperParameters numbers) {
        TransformerShape shape = numbers.transformer(RopeMode.NEOX, true, numbers.count("feed_forward_length"));
        return shape.with(TransformerTraits.builder()
                .norms(NormPlacement.AFTER)
                .wholeNorms()
                // As in llama.cpp, which does not use a base of its own for windows here.
                .window(numbers.window(
                        4,
                        0,
                        HyperParameters.windowRope(shape.rope(), shape.rope().base())))
                .build());
    }
}
