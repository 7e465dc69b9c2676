package dev.stowage.llm.model;

import dev.stowage.models.Activation;
import dev.stowage.models.TransformerShape;
import dev.stowage.models.TransformerTraits;
import dev.stowage.tensor.RopeMode;

/** gpt-oss: experts with biases, a score more for each head, and a window in every other layer. */
final class GptOss implements Architecture {

    @Override
    public String name() {
        return "gpt-oss";
    }

    @Override
    public TransformerShape shape(HyperParameters numbers) {
        TransformerShape shape = numbers.transformer(RopeMode.NEOX, false, numbers.count("expert_feed_forward_length"));
        float base = numbers.windowBase(shape.rope().base());
        return shape.with(TransformerTraits.builder()
                .sinks()
                .lateShares()
                .activation(Activation.CLAMPED_SILU)
                .window(numbers.window(2, 0, shape.rope().withBase(base)))
                .build());
    }
}
