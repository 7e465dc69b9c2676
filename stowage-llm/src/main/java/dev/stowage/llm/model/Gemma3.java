package dev.stowage.llm.model;

import dev.stowage.models.TransformerShape;
import dev.stowage.models.TransformerTraits;
import dev.stowage.tensor.RopeMode;

/** Gemma 3: as Gemma 2, with norms of queries and keys in place of limits, and a window in five of six layers. */
final class Gemma3 implements Architecture {

    @Override
    public String name() {
        return "gemma3";
    }

    /** The rope of layers with a window is the one of short contexts. */
    private static final float WINDOW_BASE = 10_000f;

    @Override
    public TransformerShape shape(HyperParameters numbers) {
        TransformerShape shape = numbers.transformer(RopeMode.NEOX, true, numbers.count("feed_forward_length"));
        TransformerTraits traits = Gemma2.traits(shape)
                .caps(0f, numbers.numberFrom0("final_logit_softcapping", 0f))
                .window(numbers.window(6, 0, HyperParameters.windowRope(shape.rope(), numbers.windowBase(WINDOW_BASE))))
                .build();
        return shape.with(traits).withAttentionScale(Gemma2.queryScale(shape, 62));
    }
}
