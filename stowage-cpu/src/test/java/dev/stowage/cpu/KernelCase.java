package dev.stowage.cpu;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.device.PreparedGraph;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** One small graph, prepared, whose vector loops run often enough that a boxed vector in them shows. */
final class KernelCase implements AutoCloseable {

    private static final ElementType[] WEIGHTS = {
        ElementType.F32,
        ElementType.F16,
        ElementType.BF16,
        ElementType.Q8_0,
        ElementType.Q4_0,
        ElementType.Q4_K,
        ElementType.Q6_K
    };

    /** Weights that are decoded to floats like some of the above, so that one column is enough to meet their kernels. */
    private static final ElementType[] OTHER_WEIGHTS = {
        ElementType.Q4_1,
        ElementType.Q5_0,
        ElementType.Q5_1,
        ElementType.Q2_K,
        ElementType.Q3_K,
        ElementType.Q5_K,
        ElementType.MXFP4
    };

    /** The name of leaves of any floats below 2; others are such as models have. */
    private static final String ANY_BITS = "any bits";

    private static final int DEPTH = 256;
    private static final int ROWS = 64;

    private final String name;
    private final List<Buffer> buffers;
    private final PreparedGraph prepared;

    private KernelCase(String name, List<Buffer> buffers, PreparedGraph prepared) {
        this.name = name;
        this.buffers = buffers;
        this.prepared = prepared;
    }

    /** All cases, in a fixed order. */
    static List<KernelCase> all(Device device, Backend backend) {
        List<KernelCase> cases = new ArrayList<>();
        for (ElementType type : WEIGHTS) {
            for (int columns : new int[] {1, 64}) {
                String name = type + " x " + columns;
                cases.add(of(backend, name, device.bufferType(), b -> product(b, type, columns)));
                BufferType home = device.weightsType(
                        product(new GraphBuilder(), type, columns).source(0).layout());
                if (!home.equals(device.bufferType())) {
                    cases.add(of(backend, name + " " + home.name(), home, b -> product(b, type, columns)));
                }
            }
        }
        for (ElementType type : OTHER_WEIGHTS) {
            cases.add(of(backend, type + " x 1", device.bufferType(), b -> product(b, type, 1)));
        }
        cases.add(of(backend, "soft_max", device.bufferType(), KernelCase::softMax));
        cases.add(of(backend, "rms_norm", device.bufferType(), b -> b.rmsNorm(f32(b, 4 * DEPTH, 4), 1e-5f)));
        cases.add(of(backend, "add, rms_norm, mul", device.bufferType(), KernelCase::sumAndNorm));
        cases.add(of(backend, "rope", device.bufferType(), KernelCase::rope));
        cases.add(of(
                backend, "swiglu", device.bufferType(), b -> b.swiglu(f32(b, 4 * DEPTH, 4), f32(b, 4 * DEPTH, 4))));
        cases.add(of(backend, "attention of 1 query", device.bufferType(), b -> attention(b, 1)));
        cases.add(of(backend, "attention of 32 queries", device.bufferType(), b -> attention(b, 32)));
        for (ElementType type : new ElementType[] {ElementType.F16, ElementType.BF16, ElementType.Q8_0}) {
            String name = "set_rows of " + type;
            cases.add(of(backend, name, device.bufferType(), b -> setRows(b, type, "")));
            cases.add(of(backend, name + ", " + ANY_BITS, device.bufferType(), b -> setRows(b, type, ANY_BITS)));
        }
        cases.add(of(backend, "add, mul", device.bufferType(), KernelCase::sum));
        return cases;
    }

    /** The tensors that a formula makes beside its result get their memory from {@code home} where they are weights. */
    private static KernelCase of(
            Backend backend, String name, BufferType home, Function<GraphBuilder, Tensor> formula) {
        GraphBuilder builder = new GraphBuilder();
        Graph graph = Graph.of(formula.apply(builder));
        List<Buffer> buffers = new ArrayList<>();
        Random random = new Random(1);
        for (Tensor tensor : builder.tensors()) {
            if (tensor.name().equals("weights")) {
                buffers.add(Allocations.allocateAll(List.of(tensor), home));
            }
        }
        buffers.add(Allocations.allocateAll(builder, backend.device().bufferType()));
        graph.leaves().forEach(leaf -> fill(leaf, random));
        return new KernelCase(name, buffers, backend.prepare(BoundGraph.of(graph)));
    }

    private static void fill(Tensor leaf, Random random) {
        int elements = Math.toIntExact(leaf.shape().elements());
        switch (leaf.type()) {
            case I32 -> TensorData.setInts(leaf, IntStream.range(0, elements).toArray());
            case I64 -> TensorData.setLongs(leaf, LongStream.range(0, elements).toArray());
            case F32 -> {
                if (leaf.name().equals(ANY_BITS)) {
                    fillBytes(leaf, random);
                } else {
                    float[] numbers = new float[elements];
                    for (int i = 0; i < elements; i++) {
                        numbers[i] = (random.nextFloat() + 0.5f) * (random.nextBoolean() ? 1 : -1);
                    }
                    TensorData.setFloats(leaf, numbers);
                }
            }
            default -> fillBytes(leaf, random);
        }
    }

    private static void fillBytes(Tensor leaf, Random random) {
        // With its upper two bits clear the last byte of a float of any width makes it finite and below 2.
        byte[] bytes = new byte[Math.toIntExact(leaf.byteSize())];
        random.nextBytes(bytes);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] &= 0x3f;
        }
        Buffer.of(leaf).set(leaf, 0, MemorySegment.ofArray(bytes));
    }

    private static Tensor f32(GraphBuilder b, long... shape) {
        return b.tensor(ElementType.F32, shape);
    }

    private static Tensor product(GraphBuilder b, ElementType type, int columns) {
        return b.mulMat(b.tensor(type, DEPTH, ROWS).named("weights"), f32(b, DEPTH, columns));
    }

    private static Tensor softMax(GraphBuilder b) {
        return b.softMax(f32(b, 2 * DEPTH, 8), b.tensor(ElementType.F16, 2 * DEPTH, 8), 0.5f, 0f);
    }

    private static Tensor rope(GraphBuilder b) {
        return b.rope(f32(b, 128, 4, 8), b.tensor(ElementType.I32, 8), OpParameters.Rope.of(128, RopeMode.NEOX));
    }

    private static Tensor attention(GraphBuilder b, int queries) {
        Tensor q = f32(b, 64, queries, 4);
        Tensor k = b.tensor(ElementType.F16, 64, 128, 2);
        Tensor v = b.tensor(ElementType.F16, 64, 128, 2);
        return b.flashAttention(q, k, v, b.tensor(ElementType.F16, 128, queries), 0.125f, 0f, 0f);
    }

    private static Tensor setRows(GraphBuilder b, ElementType type, String name) {
        Tensor rows = f32(b, 2 * DEPTH, 8).named(name);
        return b.setRows(b.tensor(type, 2 * DEPTH, 8), rows, b.tensor(ElementType.I64, 8));
    }

    private static Tensor sumAndNorm(GraphBuilder b) {
        Tensor sum = b.add(f32(b, 4 * DEPTH, 4), f32(b, 4 * DEPTH, 4));
        return b.mul(b.rmsNorm(sum, 1e-5f), f32(b, 4 * DEPTH));
    }

    private static Tensor sum(GraphBuilder b) {
        return b.mul(b.add(f32(b, 4 * DEPTH, 4), f32(b, 4 * DEPTH, 4)), f32(b, 4 * DEPTH));
    }

    String name() {
        return name;
    }

    void run() {
        prepared.computeAsync();
    }

    @Override
    public void close() {
        prepared.close();
        buffers.forEach(Buffer::close);
    }
}
