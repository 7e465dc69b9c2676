package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.op.OpRun;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * A small graph with one input that changes from run to run: a program applied several times over. Its tensors all have
 * memory of their own.
 */
final class SampleGraph implements AutoCloseable {

    private static final double MAX_ERROR = 1e-6;

    private final SampleOp program;
    private final int steps;
    private final Tensor x;
    private final Tensor y;
    private final BoundGraph graph;
    private final Buffer buffer;

    private SampleGraph(SampleOp program, int rows, int steps, BufferType type) {
        this.program = program;
        this.steps = steps;
        GraphBuilder b = new GraphBuilder();
        this.x = b.input("x", ElementType.F32, SampleOp.WIDTH, rows);
        Tensor c = b.input("c", ElementType.F32, SampleOp.WIDTH, rows);
        Tensor last = x;
        for (int i = 0; i < steps; i++) {
            last = program.step(b, last, c);
        }
        this.y = last.named("y").asOutput();
        Graph built = b.build(y);
        // All that was made, and not only what is in the graph: not every program has a use for the second operand.
        this.buffer = Allocations.allocateAll(b.tensors(), type);
        this.graph = BoundGraph.of(built);
        buffer.clear((byte) 0x7b);
        TensorData.setFloats(c, second(rows));
    }

    /** A sample in such memory, of a length that keeps a device busy for a moment. */
    static SampleGraph lasting(SampleOp program, BufferType type) {
        return new SampleGraph(program, 4 * SampleOp.WIDTH, 16, type);
    }

    /** A sample in such memory that is computed at once. */
    static SampleGraph brief(SampleOp program, BufferType type) {
        return new SampleGraph(program, SampleOp.WIDTH, 2, type);
    }

    /** The same graph in other memory. */
    SampleGraph in(BufferType type) {
        return new SampleGraph(program, Math.toIntExact(x.dim(1)), steps, type);
    }

    private static float[] second(int rows) {
        SplittableRandom random = new SplittableRandom(rows);
        float[] values = new float[SampleOp.WIDTH * rows];
        for (int i = 0; i < values.length; i++) {
            // Rows of about unit length keep a product from growing, and as addends they do no harm either.
            values[i] = (float) (random.nextGaussian() / Math.sqrt(SampleOp.WIDTH));
        }
        return values;
    }

    BoundTensor x() {
        return BoundTensor.of(x);
    }

    BoundTensor y() {
        return BoundTensor.of(y);
    }

    BoundGraph graph() {
        return graph;
    }

    /** Numbers to run on, others for each seed. */
    float[] input(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        float[] values = new float[Math.toIntExact(x.shape().elements())];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    /** Memory for as many bytes as the result has. */
    float[] output() {
        return new float[Math.toIntExact(y.shape().elements())];
    }

    /** What a backend makes of that input, each step waited for. */
    double[] compute(Backend backend, float[] input) {
        x().set(0, MemorySegment.ofArray(input));
        backend.compute(graph);
        return OpRun.read(y());
    }

    /** The result must be close to the expected one. */
    static void verify(double[] expected, float[] actual, String what) {
        double[] numbers = new double[actual.length];
        for (int i = 0; i < actual.length; i++) {
            numbers[i] = actual[i];
        }
        verify(expected, numbers, what);
    }

    /** The result must be close to the expected one. */
    static void verify(double[] expected, double[] actual, String what) {
        Verify.numbers(expected, actual, MAX_ERROR, what);
    }

    @Override
    public void close() {
        buffer.close();
    }
}
