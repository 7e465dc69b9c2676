package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.tensor.Tensor;

/**
 * Decides whether two graphs are structurally identical: same ops, layouts, wiring and marks, with memory of their own
 * in the same buffer types. They share one schedule, so a language model that builds a graph per token is scheduled
 * once.
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
