package dev.stowage.cpu.op.elementwise;

import dev.stowage.cpu.kernel.math.BinaryLoop;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import org.jspecify.annotations.Nullable;

/**
 * Ops that compute every element from those of two operands at the same place, the second one repeated. Taken are f32,
 * f16 and bf16 in any mixture, with any strides and any repetition; the reference has whole numbers, doubles and
 * quantised types, and results that overlap an operand without being in its place.
 *
 * @param loop the function
 * @param loopOfOne the function with one second number for all, if there is such a loop
 * @param nanosPerElement roughly what it takes for an element
 */
record BinaryOp(BinaryLoop loop, @Nullable BinaryLoop loopOfOne, double nanosPerElement) implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        return prepare(node, StridedElements.of(node.operand(0)), StridedElements.of(node.operand(1)));
    }

    /** Prepares a node whose operands are parts of tensors. */
    boolean prepare(NodeBuilder node, StridedElements a, StridedElements b) {
        StridedElements result = StridedElements.of(node.result());
        boolean taken = result.isFloating() && a.isFloating() && b.isFloating();
        if (!taken || !result.isSafeFrom(a) || !result.isSafeFrom(b)) {
            return false;
        }
        LoopNest nest = LoopNest.of(result, a, b);
        boolean one = loopOfOne != null && nest.bStep() == 0;
        BinaryLoop chosen = loopOfOne != null && one ? loopOfOne : loop;
        ElementLoop run = new BinaryElementLoop(
                chosen,
                nanosPerElement,
                FloatReader.of(a.type(), nest.aStep()),
                one ? FloatReader.ofOne(b.type()) : FloatReader.of(b.type(), nest.bStep()),
                new FloatWriter(result.type(), nest.resultStep()),
                new SliceBuffers(node));
        node.add(new LoopNestTask(nest, run, result, a, b, node.threads()));
        return true;
    }
}
