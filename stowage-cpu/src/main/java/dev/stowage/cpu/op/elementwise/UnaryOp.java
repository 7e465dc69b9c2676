package dev.stowage.cpu.op.elementwise;

import dev.stowage.cpu.kernel.math.UnaryLoop;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import java.util.function.Function;

/**
 * Ops that apply a function of one number to every element. Taken are f32, f16 and bf16 with any strides; the reference
 * has whole numbers, doubles and quantised types, and results that overlap their operand without being in its place.
 */
final class UnaryOp implements OpKernel {

    /** A function with what it takes for an element, roughly. */
    record Choice(UnaryLoop loop, double nanosPerElement) {}

    private final Function<NodeBuilder, Choice> choice;

    UnaryOp(Function<NodeBuilder, Choice> choice) {
        this.choice = choice;
    }

    /** An op that is the same function for every node. */
    UnaryOp(UnaryLoop loop, double nanosPerElement) {
        this(_ -> new Choice(loop, nanosPerElement));
    }

    @Override
    public boolean prepare(NodeBuilder node) {
        StridedElements result = StridedElements.of(node.result());
        StridedElements a = StridedElements.of(node.operand(0));
        if (!result.isFloating() || !a.isFloating() || !result.isSafeFrom(a)) {
            return false;
        }
        Choice chosen = choice.apply(node);
        LoopNest nest = LoopNest.of(result, a, a);
        ElementLoop run = new UnaryElementLoop(
                chosen.loop(),
                chosen.nanosPerElement(),
                FloatReader.of(a.type(), nest.aStep()),
                new FloatWriter(result.type(), nest.resultStep()),
                new SliceBuffers(node));
        node.add(new LoopNestTask(nest, run, result, a, a, node.threads()));
        return true;
    }
}
