package dev.stowage.llm.model;

import dev.stowage.models.TransformerShape;
import dev.stowage.tensor.RopeMode;

/** The mixture-of-experts form of Qwen 3. */
final class Qwen3Experts implements Architecture {

    @Override
    public String name() {
        return "qwen3moe";
    }

    @Override
    public TransformerShape shape(HyperParameters numbers) {
        numbers.countAbove0("expert_count");
        int used = numbers.countAbove0("expert_used_count");
        int feedForward = numbers.has("expert_feed_forward_length")
                ? numbers.count("expert_feed_forward_length")
                : numbers.count("feed_forward_length") / used;
        return numbers.transformer(RopeMode.NEOX, true, feedForward);
    }
}
