package dev.stowage.llm.model;

import dev.stowage.error.MalformedDataException;
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
        int used = numbers.count("expert_used_count");
        if (numbers.count("expert_count") < 1 || used < 1) {
            throw new MalformedDataException(numbers.source() + ": a model of the architecture " + name()
                    + " has experts, but by its keys it has none, or uses none");
        }
        int feedForward = numbers.has("expert_feed_forward_length")
                ? numbers.count("expert_feed_forward_length")
                : numbers.count("feed_forward_length") / used;
        return numbers.transformer(RopeMode.NEOX, true, feedForward);
    }
}
