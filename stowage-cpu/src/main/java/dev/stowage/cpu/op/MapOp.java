package dev.stowage.cpu.op;

import dev.stowage.cpu.kernel.UnaryLoop;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import java.util.function.Function;

/**
 * Ops that apply a function of one number to every element. Taken are f32, f16 and bf16 with any strides; the reference
 * has whole numbers, doubles and quantised types, and results that overlap their operand without being in its place.
 */
final class MapOp implements OpKernel {

    /** A function with what it takes for an element, roughly. */
    record Choice(UnaryLoop loop, double nanosPerElement) {}

    private final Function<NodeBuilder, Choice> choice;

    MapOp(Function<NodeBuilder, Choice> choice) {
        this.choice = choice;
    }

    /** An op that is the same function for every node. */
    MapOp(UnaryLoop loop, double nanosPerElement) {
        this(_ -> new Choice(loop, nanosPerElement));
    }

    @Override
    public boolean prepare(NodeBuilder node) {
        Grid result = Grid.of(node.result());
        Grid a = Grid.of(node.operand(0));
        if (!result.isFloating() || !a.isFloating() || !result.isSafeFrom(a)) {
            return false;
        }
        Choice chosen = choice.apply(node);
        LoopNest nest = LoopNest.of(result, a, a);
        Run run = new UnaryRun(
                chosen.loop(),
                chosen.nanosPerElement(),
                FloatReader.of(a.type(), nest.aStep()),
                new FloatWriter(result.type(), nest.resultStep()),
                new Slices(node));
        node.add(new NestTask(nest, run, result, a, a, node.threads()));
        return true;
    }
}
