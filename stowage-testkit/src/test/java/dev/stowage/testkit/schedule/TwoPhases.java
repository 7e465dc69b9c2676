package dev.stowage.testkit.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Graphs over the same weights for several tokens at once and for one, as a prompt and the generation after it are. */
final class TwoPhases implements AutoCloseable {

    static final int WIDTH = 8;

    /** One of the graphs. */
    record Phase(int tokens, Tensor x, Tensor y, Graph graph) {

        /** Numbers to run on, others for each seed; the last token is the same in all phases. */
        float[] input(long seed) {
            float[] values = floats(WIDTH * tokens, ~seed);
            System.arraycopy(floats(WIDTH, seed), 0, values, WIDTH * (tokens - 1), WIDTH);
            return values;
        }
    }

    private final List<Tensor> weights = new ArrayList<>();
    private final List<Buffer> buffers = new ArrayList<>();

    /** With a layer in each of these kinds of memory. */
    TwoPhases(List<? extends BufferType> types) {
        GraphBuilder ops = new GraphBuilder();
        for (int layer = 0; layer < types.size(); layer++) {
            Tensor weight = ops.weight("w" + layer, ElementType.F32, WIDTH, WIDTH);
            weights.add(weight);
            buffers.add(Allocations.allocateAll(List.of(weight), types.get(layer)));
            TensorData.setFloats(weight, floats(WIDTH * WIDTH, layer));
        }
    }

    private static float[] floats(int count, long seed) {
        Random random = new Random(seed);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat() - 0.5f;
        }
        return values;
    }

    /** For so many tokens at once, of which only the last comes out; a graph for one is wired without that choice. */
    Phase phase(int tokens) {
        GraphBuilder ops = new GraphBuilder();
        Tensor x = ops.input("x", ElementType.F32, WIDTH, tokens);
        Tensor last = x;
        for (Tensor weight : weights) {
            last = ops.add(ops.silu(ops.mulMat(weight, last)), last);
        }
        if (tokens > 1) {
            last = ops.cont(ops.view2d(last, WIDTH, 1, last.stride(1), last.stride(1) * (tokens - 1)));
        }
        Tensor y = last.named("y").asOutput();
        return new Phase(tokens, x, y, ops.build(y));
    }

    @Override
    public void close() {
        buffers.forEach(Buffer::close);
    }
}
