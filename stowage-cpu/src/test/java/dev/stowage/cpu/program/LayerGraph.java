package dev.stowage.cpu.program;

import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.Tensor;
import java.util.Random;

/** One layer of a small language model with its memory: norms, rotary positions, masked attention, a gated network. */
final class LayerGraph implements AutoCloseable {

    private static final int WIDTH = 128;
    private static final int HEADS = 4;
    private static final int SIZE = WIDTH / HEADS;
    private static final int TOKENS = 9;

    private final GraphBuilder b = new GraphBuilder();
    private final ElementType weights;
    private final GraphAllocator allocator;
    private final BoundGraph bound;
    private final Tensor output;

    LayerGraph(ElementType weights, GraphAllocator allocator) {
        this.weights = weights;
        this.allocator = allocator;
        Tensor x = b.input("x", ElementType.F32, WIDTH, TOKENS);
        Tensor attended = b.add(attention(norm("attention norm", x)), x);
        this.output = b.add(network(norm("network norm", attended)), attended)
                .named("output")
                .asOutput();
        this.bound = allocator.bind(b.build(output));
        fill();
    }

    private Tensor norm(String name, Tensor x) {
        return b.mul(b.rmsNorm(x, 1e-5f), b.input(name, ElementType.F32, WIDTH));
    }

    private Tensor projected(String name, Tensor x, int out) {
        return b.mulMat(b.input(name, weights, x.dim(0), out), x);
    }

    private Tensor attention(Tensor x) {
        Tensor positions = b.input("positions", ElementType.I32, TOKENS);
        OpParameters.Rope rope = OpParameters.Rope.of(SIZE, RopeMode.NEOX);
        Tensor q = b.rope(b.reshape(projected("q", x, WIDTH), SIZE, HEADS, TOKENS), positions, rope);
        Tensor k = b.rope(b.reshape(projected("k", x, WIDTH), SIZE, HEADS, TOKENS), positions, rope);
        Tensor v = b.cont(b.permute(b.reshape(projected("v", x, WIDTH), SIZE, HEADS, TOKENS), 1, 2, 0, 3));
        Tensor scores = b.mulMat(b.permute(k, 0, 2, 1, 3), b.permute(q, 0, 2, 1, 3));
        Tensor mask = b.input("mask", ElementType.F32, TOKENS, TOKENS);
        Tensor weighted = b.mulMat(v, b.softMax(scores, mask, 1f / (float) Math.sqrt(SIZE), 0f));
        return projected("merge", b.cont(b.permute(weighted, 0, 2, 1, 3), WIDTH, TOKENS), WIDTH);
    }

    private Tensor network(Tensor x) {
        Tensor gated = b.swiglu(projected("gate", x, 2 * WIDTH), projected("up", x, 2 * WIDTH));
        return projected("down", gated, WIDTH);
    }

    /** Gives the leaves the same numbers every time. */
    private void fill() {
        Random random = new Random(17);
        for (Tensor tensor : bound.graph().leaves()) {
            BoundTensor leaf = bound.tensor(tensor);
            int elements = Math.toIntExact(leaf.shape().elements());
            if (leaf.type() == ElementType.I32) {
                int[] positions = new int[elements];
                for (int j = 0; j < elements; j++) {
                    positions[j] = j;
                }
                TensorData.setInts(leaf, positions);
            } else {
                float[] values = new float[elements];
                for (int j = 0; j < elements; j++) {
                    values[j] = (float) random.nextGaussian() / 4;
                }
                TensorData.setFloats(leaf, values);
            }
        }
    }

    Graph graph() {
        return bound.graph();
    }

    BoundGraph bound() {
        return bound;
    }

    float[] output() {
        return TensorData.getFloats(bound.tensor(output));
    }

    @Override
    public void close() {
        allocator.close();
    }
}
