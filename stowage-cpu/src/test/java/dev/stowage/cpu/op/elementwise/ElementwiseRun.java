package dev.stowage.cpu.op.elementwise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cpu.CpuProvider;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Step;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.plan.BoundGraph;
import dev.stowage.reference.ReferenceOps;
import dev.stowage.reference.quant.bits.FloatFormats;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.op.OpRun;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.function.Function;

/** Computes the same tensor by kernels and by the reference, from inputs full of awkward numbers. */
final class ElementwiseRun {

    private static final float[] FINITE = {0f, -0f, Float.NaN, 1e-41f, -1e-41f, 100f, -100f, 0.5f, -2.5f};

    private static final float[] AWKWARD = {
        0f, -0f, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 1e-41f, -1e-41f, 100f, -100f, 0.5f, -2.5f
    };

    private final long seed;
    private final float[] awkward;
    private final Function<GraphBuilder, Tensor> formula;

    private ElementwiseRun(long seed, float[] awkward, Function<GraphBuilder, Tensor> formula) {
        this.seed = seed;
        this.awkward = awkward;
        this.formula = formula;
    }

    static ElementwiseRun of(long seed, Function<GraphBuilder, Tensor> formula) {
        return new ElementwiseRun(seed, AWKWARD, formula);
    }

    static ElementwiseRun ofFinite(long seed, Function<GraphBuilder, Tensor> formula) {
        return new ElementwiseRun(seed, FINITE, formula);
    }

    /** Holds what the kernels compute against the reference, to about the precision of the result's type. */
    void check() {
        ElementType type = formula.apply(new GraphBuilder()).type();
        double precision = type == ElementType.F32 ? 3e-6 : type == ElementType.F16 ? 2e-3 : 2e-2;
        double[] expected = byReference();
        double[] actual = byKernels(2);
        assertThat(actual).hasSameSizeAs(expected);
        for (int i = 0; i < expected.length; i++) {
            assertThat(isNear(actual[i], expected[i], precision))
                    .as("seed %d, element %d: %s instead of %s", seed, i, actual[i], expected[i])
                    .isTrue();
        }
    }

    private static boolean isNear(double actual, double expected, double precision) {
        return Double.compare(actual, expected) == 0
                || Math.abs(actual - expected) <= precision * Math.abs(expected) + 1e-6;
    }

    double[] byKernels(int threads) {
        Graph graph = Graph.of(formula.apply(new GraphBuilder()));
        try (Backend backend = new CpuProvider()
                        .devices()
                        .getFirst()
                        .open(BackendOptions.defaults().withThreads(threads));
                Buffer _ = placed(graph)) {
            backend.compute(graph);
            return OpRun.read(graph.node(graph.nodeCount() - 1));
        }
    }

    private double[] byReference() {
        Graph graph = Graph.of(formula.apply(new GraphBuilder()));
        try (Buffer _ = placed(graph)) {
            BoundGraph bound = BoundGraph.of(graph);
            for (int node = 0; node < graph.nodeCount(); node++) {
                Op op = graph.node(node).op();
                if (op != Op.NONE && !op.isViewOp()) {
                    ReferenceOps.compute(Step.of(bound, node));
                }
            }
            return OpRun.read(graph.node(graph.nodeCount() - 1));
        }
    }

    private Buffer placed(Graph graph) {
        Buffer buffer = Allocations.allocateAll(OpRun.tensors(graph), HostBufferType.standard());
        Random random = new Random(seed);
        for (Tensor leaf : graph.leaves()) {
            byte[] bytes = new byte[Math.toIntExact(leaf.byteSize())];
            MemorySegment segment = MemorySegment.ofArray(bytes);
            for (long at = 0; at < bytes.length; at += leaf.type().bytesPerBlock()) {
                write(segment, at, leaf.type(), random);
            }
            Buffer.of(leaf).set(leaf, 0, segment);
        }
        return buffer;
    }

    private void write(MemorySegment segment, long at, ElementType type, Random random) {
        float value =
                random.nextInt(12) == 0 ? awkward[random.nextInt(awkward.length)] : (float) random.nextGaussian() * 4;
        switch (type) {
            case F32 -> segment.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, value);
            case F16 -> segment.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, Float.floatToFloat16(value));
            case BF16 -> segment.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, FloatFormats.toBrainFloat(value));
            default -> segment.set(ValueLayout.JAVA_INT_UNALIGNED, at, random.nextInt(3));
        }
    }
}
