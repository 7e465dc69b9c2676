package dev.stowage.llm.model;

import dev.stowage.models.Activation;
import dev.stowage.models.NormPlacement;
import dev.stowage.models.TransformerShape;
import dev.stowage.models.TransformerTraits;
import dev.stowage.tensor.RopeMode;

/** Gemma 2: norms around attention and network, limits on scores and logits, and a window in every other layer. */
final class Gemma2 implements Architecture {

    @Override
    public String name() {
        return "gemma2";
    }

    @Override
    public TransformerShape shape(HyperParameters numbers) {
        TransformerShape shape = numbers.transformer(RopeMode.NEOX, false, numbers.count("feed_forward_length"));
        float base = numbers.windowBase(shape.rope().base());
        TransformerTraits traits = traits(shape)
                .caps(
                        numbers.numberFrom0("attn_logit_softcapping", 50f),
                        numbers.numberFrom0("final_logit_softcapping", 30f))
                .window(numbers.window(2, 4096, shape.rope().withBase(base)))
                .build();
        return shape.with(traits).withAttentionScale(queryScale(shape, 46));
    }

    /** What all Gemmas have. */
    static TransformerTraits.Builder traits(TransformerShape shape) {
        return TransformerTraits.builder()
                .norms(NormPlacement.AROUND)
                .activation(Activation.GELU)
                .scalesQueries()
                .scales((float) Math.sqrt(shape.width()), 1f, 1f);
    }

    /** The largest model of each generation, known by its number of layers, scales by its width and not by its heads. */
    static float queryScale(TransformerShape shape, int layersOfLargest) {
        int size = shape.layers() == layersOfLargest ? shape.width() / shape.heads() : shape.headSize();
        return 1f / (float) Math.sqrt(size);
    }
}
