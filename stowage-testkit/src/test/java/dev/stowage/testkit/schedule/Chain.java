package dev.stowage.testkit.schedule;

import dev.stowage.device.Backend;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.BufferUsage;
import dev.stowage.memory.TensorData;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * A row of multiplications by weights that are stored on the devices in turn, with something in between that goes
 * anywhere:
 *
 * <pre>
 *   x ──► w0·x ──► silu ──► w1· ──► silu ──► w2· ... ──► y
 * </pre>
 */
final class Chain implements AutoCloseable {

    static final int WIDTH = 4;

    private final GraphBuilder ops = new GraphBuilder();
    private final List<Tensor> weights = new ArrayList<>();
    private final List<Buffer> buffers = new ArrayList<>();
    private final Tensor x = ops.input("x", ElementType.F32, WIDTH);
    private final Tensor y;
    private final Graph graph;

    /** With a weight in each of these kinds of memory. */
    Chain(List<? extends BufferType> types) {
        Tensor last = x;
        for (int i = 0; i < types.size(); i++) {
            Tensor weight = ops.weight("w" + i, ElementType.F32, WIDTH, WIDTH);
            weights.add(weight);
            buffers.add(Allocations.allocateAll(List.of(weight), types.get(i)).setUsage(BufferUsage.WEIGHTS));
            last = ops.silu(ops.mulMat(weight, last).named("product" + i)).named("silu" + i);
        }
        this.y = last.asOutput();
        this.graph = ops.build(y);
    }

    static Chain of(Backend... backends) {
        return new Chain(List.of(backends).stream()
                .map(backend -> backend.device().bufferType())
                .toList());
    }

    Graph graph() {
        return graph;
    }

    Tensor x() {
        return x;
    }

    Tensor y() {
        return y;
    }

    Tensor node(String name) {
        return graph.find(name).orElseThrow();
    }

    void writeWeights() {
        for (int i = 0; i < weights.size(); i++) {
            float[] values = new float[WIDTH * WIDTH];
            for (int at = 0; at < values.length; at++) {
                values[at] = (at * 7 + i * 3) % 11 / 11f - 0.4f;
            }
            TensorData.setFloats(weights.get(i), values);
        }
    }

    /** What comes out, by the definition of the two ops. */
    double[] expected(float... input) {
        double[] values = new double[WIDTH];
        for (int i = 0; i < WIDTH; i++) {
            values[i] = input[i];
        }
        for (Tensor weight : weights) {
            float[] matrix = TensorData.getFloats(weight);
            double[] next = new double[WIDTH];
            for (int row = 0; row < WIDTH; row++) {
                double sum = 0;
                for (int k = 0; k < WIDTH; k++) {
                    sum += matrix[row * WIDTH + k] * values[k];
                }
                next[row] = sum / (1 + Math.exp(-sum));
            }
            values = next;
        }
        return values;
    }

    @Override
    public void close() {
        buffers.forEach(Buffer::close);
    }
}
