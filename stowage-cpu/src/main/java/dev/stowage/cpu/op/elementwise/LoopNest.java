package dev.stowage.cpu.op.elementwise;

import dev.stowage.tensor.Shape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The loops that visit every element of a result together with the elements of two operands it is computed from, as few
 * as there can be: dimensions that follow each other without a gap in all three are one loop, so that tensors without
 * gaps and without repetition are a single long row. Where the second operand repeats, a dimension becomes two loops,
 * one over its own elements and one that does not move it. The innermost loop is the one with the shortest step in the
 * result.
 */
final class LoopNest {

    /** One loop: how often, and the bytes from one element to the next in result and operands. */
    private record Loop(long count, long result, long a, long b) {

        boolean continues(Loop inner) {
            return result == inner.result * inner.count && a == inner.a * inner.count && b == inner.b * inner.count;
        }
    }

    private final Loop row;
    private final long rows;
    private final long[] counts;
    private final long[] resultSteps;
    private final long[] aSteps;
    private final long[] bSteps;

    private LoopNest(List<Loop> loops) {
        this.row = loops.getFirst();
        List<Loop> outer = loops.subList(1, loops.size());
        this.rows = outer.stream().mapToLong(Loop::count).reduce(1, (x, y) -> x * y);
        this.counts = outer.stream().mapToLong(Loop::count).toArray();
        this.resultSteps = outer.stream().mapToLong(Loop::result).toArray();
        this.aSteps = outer.stream().mapToLong(Loop::a).toArray();
        this.bSteps = outer.stream().mapToLong(Loop::b).toArray();
    }

    /** The loops over a result, an operand of the same shape and one that repeats into it. */
    static LoopNest of(StridedElements result, StridedElements a, StridedElements b) {
        List<Loop> loops = new ArrayList<>();
        for (int i = 0; i < Shape.RANK; i++) {
            long count = result.shape().dim(i);
            long own = b.shape().dim(i);
            long resultStep = result.strides().stride(i);
            long aStep = a.strides().stride(i);
            loops.add(new Loop(own, resultStep, aStep, b.strides().stride(i)));
            loops.add(new Loop(count / own, resultStep * own, aStep * own, 0));
        }
        loops.removeIf(loop -> loop.count == 1);
        loops.sort(Comparator.comparingLong(Loop::result));
        return new LoopNest(joined(loops, result, a, b));
    }

    private static List<Loop> joined(List<Loop> loops, StridedElements result, StridedElements a, StridedElements b) {
        List<Loop> joined = new ArrayList<>();
        for (Loop loop : loops) {
            if (!joined.isEmpty() && loop.continues(joined.getLast())) {
                Loop inner = joined.removeLast();
                joined.add(new Loop(inner.count * loop.count, inner.result, inner.a, inner.b));
            } else {
                joined.add(loop);
            }
        }
        if (joined.isEmpty()) {
            joined.add(new Loop(
                    1,
                    result.type().bytesPerBlock(),
                    a.type().bytesPerBlock(),
                    b.type().bytesPerBlock()));
        }
        return joined;
    }

    /** How many elements the innermost loop visits. */
    long rowLength() {
        return row.count;
    }

    /** How often the innermost loop runs. */
    long rows() {
        return rows;
    }

    /** The bytes from one element to the next in a row of the result. */
    long resultStep() {
        return row.result;
    }

    long aStep() {
        return row.a;
    }

    /** 0 if all elements of a row are computed from one of the second operand. */
    long bStep() {
        return row.b;
    }

    /** The bytes from the result's first element to the first one of a row. */
    long resultOffset(long number) {
        return offset(number, resultSteps);
    }

    long aOffset(long number) {
        return offset(number, aSteps);
    }

    long bOffset(long number) {
        return offset(number, bSteps);
    }

    private long offset(long number, long[] steps) {
        long offset = 0;
        long rest = number;
        int last = steps.length - 1;
        for (int i = 0; i < last; i++) {
            long outer = rest / counts[i];
            offset += (rest - outer * counts[i]) * steps[i];
            rest = outer;
        }
        if (last >= 0) {
            offset += rest * steps[last];
        }
        return offset;
    }
}
