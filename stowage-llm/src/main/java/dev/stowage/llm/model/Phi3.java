package dev.stowage.llm.model;

import dev.stowage.models.TransformerShape;
import dev.stowage.models.TransformerTraits;
import dev.stowage.tensor.RopeMode;

/** Phi 3 and 4: queries, keys and values are one matrix, gate and up another, and frequencies have factors for long contexts. */
final class Phi3 implements Architecture {

    @Override
    public String name() {
        return "phi3";
    }

    @Override
    public TransformerShape shape(HyperParameters numbers) {
        // Files name a window, which llama.cpp does not apply either: it is no shorter than contexts up to the original
        // one.
        return numbers.transformer(RopeMode.NEOX, false, numbers.count("feed_forward_length"))
                .with(TransformerTraits.builder().fused().scalesQueries().build());
    }
}
