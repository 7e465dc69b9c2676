package dev.stowage.schedule;

import dev.stowage.tensor.Tensor;
import java.util.Optional;

/**
 * Why a tensor is on the device it is on.
 *
 * @param rule the rule that decided
 * @param because the tensor the rule went by: a weight, a neighbour, a reader; empty where it needed none
 */
public record Reason(Rule rule, Optional<Tensor> because) {

    /** For people: {@code a weight it reads is there: 'blk.0.attn_q'}. */
    @Override
    public String toString() {
        return rule.text()
                + because.map(tensor ->
                                tensor.name().isEmpty() ? ": " + tensor.describe() : ": '" + tensor.name() + "'")
                        .orElse("");
    }
}
