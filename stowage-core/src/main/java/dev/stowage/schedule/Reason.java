package dev.stowage.schedule;

import dev.stowage.tensor.Tensor;
import java.util.Optional;

/**
 * Why a tensor is on its device.
 *
 * @param rule the rule that decided
 * @param because the tensor that the rule refers to: a weight, a neighbour, a reader; empty if none
 */
public record Reason(Rule rule, Optional<Tensor> because) {

    /** Human-readable: {@code a weight it reads is there: 'blk.0.attn_q'}. */
    @Override
    public String toString() {
        return rule.text()
                + because.map(tensor ->
                                tensor.name().isEmpty() ? ": " + tensor.describe() : ": '" + tensor.name() + "'")
                        .orElse("");
    }
}
