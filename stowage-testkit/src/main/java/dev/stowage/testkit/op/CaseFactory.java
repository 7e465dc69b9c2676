package dev.stowage.testkit.op;

import dev.stowage.tensor.Tensor;

/**
 * How a case is put together: takes its operands from the kitchen it is given and returns the tensor to compute. Called
 * again for every run, it must do the same each time; where it wants chance, it throws the dice of its operands.
 */
@FunctionalInterface
interface CaseFactory {

    Tensor make(Operands operands);
}
