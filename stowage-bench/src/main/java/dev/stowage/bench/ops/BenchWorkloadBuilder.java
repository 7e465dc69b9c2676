package dev.stowage.bench.ops;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Puts a workload together: leaves with their contents, ops by the builder of graphs. */
final class BenchWorkloadBuilder {

    private static final double INPUT_DEVIATION = 1;

    private final GraphBuilder ops = new GraphBuilder();
    private final Map<Tensor, MemorySegment> contents = new HashMap<>();
    private final TestData data;
    private int inputs;

    BenchWorkloadBuilder(TestData data) {
        this.data = data;
    }

    GraphBuilder ops() {
        return ops;
    }

    TestData data() {
        return data;
    }

    /** A weight of random numbers, small enough that sums over its rows are about 1. */
    Tensor weight(ElementType type, long columns, long rows) {
        Tensor weight = ops.weight("w", type, columns, rows);
        contents.put(weight, data.random(type, columns * rows, 1 / Math.sqrt((double) columns), 0));
        return weight;
    }

    /** An input of random numbers, other ones for each input. */
    Tensor input(ElementType type, long... dimensions) {
        Tensor input = ops.tensor(type, dimensions).asInput();
        inputs++;
        contents.put(input, data.random(type, input.shape().elements(), INPUT_DEVIATION, inputs));
        return input;
    }

    /** From here on inputs hold the numbers of the first ones again, in memory of their own. */
    void repeatInputs() {
        inputs = 0;
    }

    /** An input with these bytes. */
    Tensor input(ElementType type, MemorySegment bytes, long... dimensions) {
        Tensor input = ops.tensor(type, dimensions).asInput();
        contents.put(input, bytes);
        return input;
    }

    /** All nodes that these results need, of which the last is compared. */
    BenchWorkload build(List<Tensor> results) {
        results.forEach(Tensor::asOutput);
        return new BenchWorkload(ops.build(results.toArray(Tensor[]::new)), contents, results.getLast());
    }
}
