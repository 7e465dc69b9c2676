package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.tensor.Tensor;

/**
 * Decides whether two graphs are structurally identical: the same ops on the same layouts, wired and marked in the same
 * way, with what has memory of its own in the same kind of memory. What was decided for one holds for the other, so that a
 * language model, which builds its graph anew for every token, has it scheduled once.
 */
final class StructuralMatch {

    private StructuralMatch() {}

    static boolean areIdentical(Graph one, Graph other) {
        if (!one.isWiredLike(other)) {
            return false;
        }
        for (int id = 0; id < one.size(); id++) {
            Tensor known = one.tensor(id);
            Tensor tensor = other.tensor(id);
            if (known.serial() != tensor.serial() && !(isSameOp(known, tensor) && isStoredAlike(known, tensor))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSameOp(Tensor one, Tensor other) {
        return one.op() == other.op()
                && one.layout().equals(other.layout())
                && one.viewOffset() == other.viewOffset()
                && one.parameters().equals(other.parameters());
    }

    private static boolean isStoredAlike(Tensor one, Tensor other) {
        if (!one.isPlaced() || !other.isPlaced()) {
            return one.isPlaced() == other.isPlaced();
        }
        Buffer first = Buffer.of(one);
        Buffer second = Buffer.of(other);
        return first.equals(second) || (first.type().equals(second.type()) && first.usage() == second.usage());
    }
}
