package dev.stowage.testkit.op;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * A case put together once: tensors of its own that have no memory yet, and the bytes its inputs start from. The inputs
 * are all leaves of the graph; none is a view.
 */
public final class OpGraph {

    private final Graph graph;
    private final Tensor result;
    private final List<Operands.Input> inputs;
    private final long seed;

    OpGraph(Tensor result, List<Operands.Input> inputs, long seed) {
        this.graph = Graph.of(result);
        this.result = result;
        this.inputs = List.copyOf(inputs);
        this.seed = seed;
    }

    /** The graph that computes the result, views of the inputs included. */
    public Graph graph() {
        return graph;
    }

    /** The tensor the case is about. */
    public Tensor result() {
        return result;
    }

    /** The node of that op nearest to the result: the result itself, unless the op function put views after it. */
    public Tensor subject(Op op) {
        return OpCase.subject(op, result);
    }

    /** The inputs in the order they were made; a fill for each can be had from {@link #bytesOf}. */
    public List<Tensor> inputs() {
        return inputs.stream().map(Operands.Input::tensor).toList();
    }

    /** The numbers an input starts from before they are rounded to its type. */
    public double[] valuesOf(int input) {
        RandomGenerator random = new SplittableRandom(seed * 31 + input);
        return inputs.get(input).fill().values(inputs.get(input).tensor().shape(), random);
    }

    /** The bytes an input starts from, quantised where its type is; always the same for the same case. */
    public byte[] bytesOf(int input) {
        return ElementCodec.encode(
                inputs.get(input).tensor().type(), inputs.get(input).tensor().dim(0), valuesOf(input));
    }
}
