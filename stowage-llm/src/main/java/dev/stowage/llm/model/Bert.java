package dev.stowage.llm.model;

import dev.stowage.models.Activation;
import dev.stowage.models.EncoderTraits;
import dev.stowage.models.NormPlacement;
import dev.stowage.models.TransformerShape;
import dev.stowage.models.TransformerTraits;
import dev.stowage.tensor.RopeMode;

/** BERT and its relatives that embed texts, such as bge, e5 and MiniLM: vectors of positions, and a network without a gate. */
final class Bert implements Architecture {

    /** What files call the pooling of rerankers, which answer with a score in place of a vector. */
    private static final int RANK = 4;

    @Override
    public String name() {
        return "bert";
    }

    @Override
    public TransformerShape shape(HyperParameters numbers) {
        // No layer has rope.
        return encoder(
                numbers, true, false, traits().activation(Activation.GELU).ropeStep(1));
    }

    static TransformerTraits.Builder traits() {
        return TransformerTraits.builder().norms(NormPlacement.AFTER);
    }

    /** An encoder; a file that says it is something else is refused. */
    static TransformerShape encoder(
            HyperParameters numbers, boolean positions, boolean gated, TransformerTraits.Builder traits) {
        if (numbers.flag("attention.causal", false)) {
            numbers.refuse("attention.causal", "true; only encoders whose tokens look at all others can be run here");
        }
        int pooling = numbers.count("pooling_type", 0);
        if (pooling >= RANK) {
            numbers.refuse("pooling_type", pooling + "; rerankers, which are 4, cannot be run here, nor what is above");
        }
        int kinds = numbers.rows("token_types.weight");
        return numbers.transformer(
                        RopeMode.NEOX, false, numbers.count("feed_forward_length"), "attention.layer_norm_epsilon")
                .with(traits.encoder(new EncoderTraits(positions, kinds, gated)).build());
    }
}
