package dev.stowage.testkit.op;

import dev.stowage.tensor.Tensor;

/**
 * Builds the graph of a case: takes its operands from those it is given and returns the tensor to compute. Called
 * again for every run, it must do the same each time; random choices come from the seeded generator of its operands.
 */
@FunctionalInterface
interface CaseFactory {

    Tensor make(Operands operands);
}
